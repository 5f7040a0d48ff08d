import type { Bidders } from '../bidders/bidder-port.ts';
import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import { latestReason, NoBidReason } from '../decision/no-bid-reason.ts';
import type { BillingNotices } from '../ledger/billing-notices.ts';
import type { AdRequest } from './ad-request.ts';
import type { ComposeBid } from './compose-bid.ts';
import { notifyBidders } from './notify-bidders.ts';
import { hearBids, nbrOf, openOpportunity, rankOpportunity } from './opportunity.ts';
import type { ReserveWinners } from './reserve-winners.ts';
import { traceOpportunity, type AdTrace } from './trace-request.ts';

export interface AdAnswer {
  /** Each as JSON text. */
  readonly bids: readonly string[];
  /** The impressions that were not filled, and why. */
  readonly nonbids: readonly { readonly impid: string; readonly nbr: NoBidReason }[];
  /** Present when no impression was filled. */
  readonly nbr: NoBidReason | undefined;
  readonly trace: AdTrace | undefined;
}

export interface ServeAdOptions {
  readonly currentSnapshot: () => Snapshot;
  readonly bidders: Bidders;
  readonly billingNotices: BillingNotices;
  readonly reserveWinners: ReserveWinners;
  readonly composeBid: ComposeBid;
  readonly random: () => number;
  /** Monotonic milliseconds, for the timings of a trace. */
  readonly clock: () => number;
}

export type ServeAd = (request: AdRequest) => Promise<AdAnswer>;

/**
 * The road of an ad request: candidates → bidders → ranking → reservation → markup and token. The snapshot is taken once, so that a reload
 * in the middle cannot mix two. Does not reject for what a dependency does: without counters or bidders it serves what needs neither.
 */
export const createServeAd =
  ({ currentSnapshot, bidders, billingNotices, reserveWinners, composeBid, random, clock }: ServeAdOptions): ServeAd =>
  async (request) => {
    const begun = clock();
    const snapshot = currentSnapshot();
    const opportunities = request.imps.map((imp) => openOpportunity({ snapshot, request, imp, random }));

    const found = clock();
    const invitations = opportunities.flatMap(({ invitation }) => invitation ?? []);
    if (invitations.length > 0) {
      const answers = await bidders.ask(invitations, request.bidContext);
      for (const opportunity of opportunities) hearBids(opportunity, answers);
    }

    const heard = clock();
    for (const opportunity of opportunities) rankOpportunity(opportunity, { snapshot, request, random });
    await reserveWinners({ request, snapshot, opportunities });

    const reserved = clock();
    const bids = opportunities.flatMap((opportunity) => (opportunity.won ? composeBid(opportunity.won, opportunity) : []));
    const nonbids = opportunities
      .filter(({ won }) => !won)
      .map((opportunity) => ({ impid: opportunity.imp.impId, nbr: nbrOf(opportunity, snapshot, request) }));
    if (invitations.length > 0) notifyBidders(bidders, billingNotices, opportunities);

    return {
      bids,
      nonbids,
      nbr:
        bids.length > 0
          ? undefined
          : nonbids.reduce<NoBidReason>((latest, { nbr }) => latestReason(latest, nbr), NoBidReason.UnknownPlacement),
      trace: request.traced
        ? {
            snapshot_version: snapshot.version,
            imps: opportunities.map((opportunity) =>
              traceOpportunity(opportunity, request, snapshot, nonbids.find(({ impid }) => impid === opportunity.imp.impId)?.nbr),
            ),
            timings_ms: { candidates: found - begun, bidders: heard - found, reserve: reserved - heard, total: clock() - begun },
          }
        : undefined,
    };
  };
