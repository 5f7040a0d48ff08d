import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import { isUnbounded } from '../ledger/limits.ts';
import { NoBidReason } from '../decision/no-bid-reason.ts';
import type { RankedCandidate } from '../decision/ranked-candidate.ts';
import type { LimitReading, ReadLimits } from '../ledger/read/read-limits.ts';
import type { TrafficCurve } from '../ledger/traffic-curve.ts';
import type { AdRequest } from './ad-request.ts';
import type { Opportunity } from './opportunity.ts';
import { win, type ReserveWinners } from './reserve-winners.ts';

export interface JudgeWinnersOptions {
  readonly readLimits: ReadLimits;
  /** False: the counters are not asked, because they would not answer. */
  readonly countersUp: () => boolean;
  readonly curveOf: (snapshot: Snapshot, publisherId: number, atMs: number) => TrafficCurve;
}

const OFFER = 64;
const NO_MOMENTS = { tokenExpS: 0, holdEndMs: 0, day: 0 };

/**
 * The twin of `createReserveWinners` for trying a decision out: for each impression the first ranked candidate whose limits would let it be reserved,
 * read off the ledger without taking, counting or remembering anything.
 */
export const createJudgeWinners =
  ({ readLimits, countersUp, curveOf }: JudgeWinnersOptions): ReserveWinners =>
  async ({ request, snapshot, opportunities }) => {
    const shown = new Set<number>();
    const curve = curveOf(snapshot, request.publisher.id, request.query.atMs);
    // Redis may go away in between; its own client tells the log.
    const read = async (candidates: readonly RankedCandidate[]): Promise<readonly LimitReading[] | undefined> =>
      countersUp()
        ? readLimits({ publisherId: request.publisher.id, userHash: request.userHash, curve, candidates }).catch(() => undefined)
        : undefined;

    for (const opportunity of opportunities) {
      for (let offer = take(opportunity); offer.length > 0 && !opportunity.won; offer = take(opportunity)) {
        const readings = await read(offer);
        offer.forEach((candidate, i) => judge(request, opportunity, candidate, readings?.[i], shown));
      }
    }
  };

const take = ({ ranking, considered, won }: Opportunity): readonly RankedCandidate[] => {
  const offer = won ? [] : (ranking?.take(OFFER) ?? []);
  considered.push(...offer);
  return offer;
};

const judge = (
  request: AdRequest,
  opportunity: Opportunity,
  candidate: RankedCandidate,
  reading: LimitReading | undefined,
  shown: Set<number>,
): void => {
  if (opportunity.won) return;
  const uncounted = isUnbounded(candidate.lineItem, candidate.campaign) ? 0 : NoBidReason.CountersUnavailable;
  const nbr = shown.has(candidate.creative.id) ? NoBidReason.DuplicateInPage : (reading?.nbr ?? uncounted);
  if (nbr !== 0) {
    opportunity.refused.push({ candidate, nbr });
    return;
  }
  shown.add(candidate.creative.id);
  opportunity.won = win({ newId: () => 'test' }, request, opportunity, candidate, NO_MOMENTS);
};
