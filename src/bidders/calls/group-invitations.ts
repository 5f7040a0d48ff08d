import { bidderKey, bidderOf } from '../../catalog/model/bidder-of.ts';
import type { Bidder, Booking } from '../../catalog/model/entities.ts';
import type { BidOpportunity } from '../bidder-port.ts';
import { bidFormatOf, type BidFormat } from '../openrtb/bid-format.ts';

/**
 * One call to one bidder: the impressions it gets, all in one format, and the invitations that its
 * answer will serve.
 */
export interface BidderCall {
  readonly bidder: Bidder;
  readonly format: BidFormat;
  readonly opportunities: readonly CallOpportunity[];
  /** Hosts, besides the endpoint's, that are listed for the bidder or the invited line items. */
  readonly noticeHosts: ReadonlySet<string>;
}

/** An impression with the invitations of one bidder. */
export interface CallOpportunity extends BidOpportunity {
  /**
   * The lowest bids, micros of the publisher's currency per thousand impressions, by the deal; of OPEN_MARKET, for a bid
   * without a deal. A deal that is not here is not offered.
   */
  readonly floors: ReadonlyMap<string, number>;
}

/** In place of a deal id. */
export const OPEN_MARKET = '';

/** The deal under which a line item takes bids. */
export const dealOf = ({ lineItem }: Booking): string => lineItem.dealId ?? OPEN_MARKET;

/** The lowest bid for a line item on an impression. */
export const floorOf = (invitation: Booking, { floorMicros, dealFloors }: Pick<BidOpportunity, 'floorMicros' | 'dealFloors'>): number =>
  Math.max(invitation.lineItem.floorMicros, dealFloors?.get(dealOf(invitation)) ?? floorMicros);

/**
 * A bidder gets one BidRequest per ad request and format, with an imp for each impression that
 * invites it. Line items of one bidder share its answer: a bid enters the ranking once for each
 * line item that takes it, under the line item's own caps and budget. An invitation without a
 * bidder is skipped.
 */
export const groupInvitations = (opportunities: readonly BidOpportunity[], bidders: ReadonlyMap<number, Bidder>): readonly BidderCall[] => {
  const calls = new Map<string, { bidder: Bidder; format: BidFormat; byImp: Map<BidOpportunity, Booking[]>; noticeHosts: Set<string> }>();
  for (const opportunity of opportunities) {
    for (const invitation of opportunity.invitations) {
      const bidder = bidderOf(invitation.lineItem, bidders);
      const format = bidFormatOf(invitation.creative.content.format);
      if (bidder === undefined) continue;
      const key = `${format} ${bidderKey(bidder)}`;
      const call = calls.get(key) ?? { bidder, format, byImp: new Map<BidOpportunity, Booking[]>(), noticeHosts: new Set<string>() };
      calls.set(key, call);
      const sharing = call.byImp.get(opportunity) ?? [];
      call.byImp.set(opportunity, sharing);
      sharing.push(invitation);
      for (const host of bidder.noticeHosts) call.noticeHosts.add(host);
    }
  }
  return [...calls.values()].map(({ bidder, format, byImp, noticeHosts }) => ({
    bidder,
    format,
    opportunities: [...byImp].map(([opportunity, invitations]) => ({
      ...opportunity,
      invitations,
      floors: lowestFloors(invitations, opportunity),
    })),
    noticeHosts,
  }));
};

const lowestFloors = (invitations: readonly Booking[], opportunity: BidOpportunity): ReadonlyMap<string, number> => {
  const floors = new Map<string, number>();
  for (const invitation of invitations) {
    const deal = dealOf(invitation);
    floors.set(deal, Math.min(floors.get(deal) ?? Infinity, floorOf(invitation, opportunity)));
  }
  return floors;
};
