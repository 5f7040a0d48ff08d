import type { Bidders } from '../bidders/bidder-port.ts';
import type { Placement } from '../catalog/model/entities.ts';
import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import { createRefusalMemory } from '../ledger/exhausted-memory.ts';
import type { ImpQuery } from '../decision/ad-query.ts';
import { latestReason, NoBidReason } from '../decision/no-bid-reason.ts';
import { drawOnce } from '../decision/share-of-voice.ts';
import type { AdRequest } from './ad-request.ts';
import { createCountRefusals, type RefusalSink } from './count-refusals.ts';
import { createIndexMemories } from './index-memories.ts';
import {
  bidOpportunityOf,
  openOpportunity,
  rankOpportunity,
  reasonOf,
  type DecidedOpportunity,
  type Steps,
  type Won,
} from './opportunity.ts';
import { roadblocksOf } from './page-roadblocks.ts';
import { createReserveWinners, type ReserveWinnersOptions } from './reserve-winners.ts';
import { createShownSizes } from './shown-sizes.ts';
import { traceConsent } from './trace-consent.ts';
import { MAX_TRACED, traceOpportunity, type AdTrace } from './trace-opportunity.ts';

export interface AdAnswer {
  /** Of its prices: that of the publisher. */
  readonly currency: string;
  readonly filled: readonly FilledImp[];
  readonly unfilled: readonly UnfilledImp[];
  /** Why nothing was filled; undefined when an impression was. */
  readonly reason: NoBidReason | undefined;
  /** Whether the visitor's browser may keep the user id. */
  readonly mayRemember: boolean;
  /** undefined: the request did not ask for it. */
  readonly trace: AdTrace | undefined;
}

export interface FilledImp {
  readonly imp: ImpQuery;
  readonly won: Won;
}

export interface UnfilledImp {
  readonly impId: string;
  /** undefined: the publisher has no such placement. */
  readonly placement: Placement | undefined;
  readonly reason: NoBidReason;
}

export interface ServeAdOptions
  extends Omit<ReserveWinnersOptions, 'memories' | 'users' | 'clients' | 'shownSizes'>, Pick<Steps, 'random' | 'opportunityFactor'> {
  readonly bidders: Pick<Bidders, 'ask'>;
  /**
   * Receives the outcome of the bids, for notices to the bidders. Called once per request with
   * invited bidders, after the decision.
   */
  readonly onBidsDecided: (opportunities: readonly DecidedOpportunity[]) => void;
  /** Counts why line items were not shown; undefined: that is not counted. */
  readonly refusals?: RefusalSink | undefined;
  /** Called once per request, after the decision. */
  readonly onDecided?: ((request: AdRequest, decided: readonly DecidedOpportunity[], unfilled: readonly UnfilledImp[]) => void) | undefined;
  /** Monotonic milliseconds, for the timings of a trace. */
  readonly clock: () => number;
  /** Runs a stage of the decision, observed. */
  readonly stage?: RunStage | undefined;
}

export type RunStage = <T>(name: 'candidates' | 'bidders' | 'rank' | 'reserve', work: () => T) => T;

const runStage: RunStage = (_name, work) => work();

export type ServeAd = (snapshot: Snapshot, request: AdRequest) => Promise<AdAnswer>;

/**
 * Decides an ad request: candidates, bidders, ranking, reservation. The caller passes one snapshot,
 * so that a reload during the request cannot mix two. Never rejects when a dependency fails:
 * without counters or bidders it serves the line items that need neither.
 *
 * With a dry ledger (ledger/read/dry-ledger.ts) it is a dry run.
 */
export const createServeAd = (options: ServeAdOptions): ServeAd => {
  const { bidders, onBidsDecided, onDecided, refusals, random, opportunityFactor, clock, stage = runStage, ...reserving } = options;
  const steps = {
    memories: createIndexMemories(),
    users: createRefusalMemory(),
    clients: createRefusalMemory(),
    random,
    opportunityFactor,
  };
  const reserveWinners = createReserveWinners({ ...reserving, ...steps, shownSizes: createShownSizes() });
  const countRefusals = refusals && createCountRefusals(steps, refusals);

  return async function serveAd(snapshot, request) {
    const startedAt = clock();
    const opened = stage('candidates', () => request.imps.map((imp) => openOpportunity(snapshot, request, imp, steps)));
    const foundAt = clock();
    const invitations = opened.flatMap((opportunity) => bidOpportunityOf(opportunity) ?? []);
    const answers = invitations.length > 0 ? await stage('bidders', () => bidders.ask(invitations, request.bidContext)) : undefined;
    const bidAt = clock();
    const voice = drawOnce(random);
    const roadblocks = roadblocksOf(snapshot, request, opened, random);
    const ranked = stage('rank', () =>
      roadblocks
        ? roadblocks.order.map((i) => rankOpportunity(opened[i]!, answers, request, steps, voice, roadblocks.at(i)))
        : opened.map((opportunity) => rankOpportunity(opportunity, answers, request, steps, voice)),
    );
    const decided = inRequestOrder(await stage('reserve', () => reserveWinners(snapshot, request, ranked)), roadblocks?.order);
    const reservedAt = clock();
    if (answers) onBidsDecided(decided);
    countRefusals?.(request, decided);

    const filled = decided.flatMap(({ imp, won }) => (won ? [{ imp, won }] : []));
    const unfilled = decided
      .filter(({ won }) => !won)
      .map((opportunity) => ({
        impId: opportunity.imp.impId,
        placement: opportunity.placement,
        reason: reasonOf(opportunity),
      }));
    onDecided?.(request, decided, unfilled);
    return {
      currency: request.publisher.currency,
      filled,
      unfilled,
      reason: filled.length > 0 ? undefined : unfilled.map(({ reason }) => reason).reduce(latestReason, NoBidReason.UnknownPlacement),
      mayRemember: request.consent.remember === null,
      trace: request.traced
        ? {
            snapshotVersion: snapshot.version,
            consent: traceConsent(request, invitations),
            imps: decided.map((opportunity) => traceOpportunity(opportunity, Math.ceil(MAX_TRACED / decided.length))),
            timingsMs: {
              candidates: foundAt - startedAt,
              bidders: bidAt - foundAt,
              reserve: reservedAt - bidAt,
              total: clock() - startedAt,
            },
          }
        : undefined,
    };
  };
};

const inRequestOrder = (decided: readonly DecidedOpportunity[], order: readonly number[] | undefined): readonly DecidedOpportunity[] =>
  order ? decided.map((_, i) => decided[order.indexOf(i)]!) : decided;
