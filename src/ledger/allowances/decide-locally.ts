import { NoBidReason } from '../../decision/no-bid-reason.ts';
import type { RankedCandidate } from '../../decision/ranked-candidate.ts';
import { isUnbounded } from '../limits.ts';
import type { Reservation, ReservationMoments, ReservedImp } from '../reservation.ts';
import type { Stock } from './stock.ts';

type Imps = readonly (readonly RankedCandidate[])[];

const NONE: readonly NoBidReason[] = [];

interface Taken {
  readonly stock: Stock;
  readonly candidate: RankedCandidate;
  readonly moments: ReservationMoments;
}

/**
 * Decides all impressions of a request from lots: each gets its first candidate. undefined: one of
 * those has no lot, and the ledger decides them all.
 */
export const decideFromLots = (
  imps: Imps,
  stockOf: (candidate: RankedCandidate) => Stock | undefined,
  nowMs: number,
): Reservation | undefined => {
  const taken: Taken[] = [];
  const decided: ReservedImp[] = [];
  for (const candidates of imps) {
    // A creative is shown once in an answer.
    const winner =
      taken.length === 0 ? 0 : candidates.findIndex(({ creative }) => !taken.some((one) => one.candidate.creative.id === creative.id));
    const candidate = candidates[winner];
    const stock = candidate && stockOf(candidate);
    const moments = stock?.take(candidate!, nowMs);
    if (!moments) {
      for (const one of taken) one.stock.putBack(one.candidate, one.moments);
      return undefined;
    }
    taken.push({ stock: stock!, candidate: candidate!, moments });
    const refused = winner === 0 ? NONE : candidates.slice(0, winner).map(() => NoBidReason.DuplicateInPage);
    decided.push({ winner, moments, refused, granted: undefined });
  }
  return { imps: decided };
};

export interface OutageDecision {
  /** Of an ad that holds nothing. */
  readonly unheld: ReservationMoments;
  /** Takes an ad that was reserved before the outage; undefined: there is none. */
  readonly take: (candidate: RankedCandidate) => ReservationMoments | undefined;
}

/**
 * Decides without Redis: the first candidate without limits, whose impression is counted when it comes,
 * or of which ads were reserved before.
 */
export const decideInOutage = (imps: Imps, { unheld, take }: OutageDecision): Reservation => {
  const shown = new Set<number>();
  const decide = (candidates: readonly RankedCandidate[]): ReservedImp => {
    const refused: NoBidReason[] = [];
    for (const [winner, candidate] of candidates.entries()) {
      const isShown = shown.has(candidate.creative.id);
      const moments = isShown ? undefined : isUnbounded(candidate.lineItem, candidate.campaign) ? unheld : take(candidate);
      if (moments) {
        shown.add(candidate.creative.id);
        return { winner, moments, refused, granted: undefined };
      }
      refused.push(isShown ? NoBidReason.DuplicateInPage : NoBidReason.CountersUnavailable);
    }
    return { winner: -1, moments: undefined, refused, granted: undefined };
  };
  return { imps: imps.map(decide) };
};
