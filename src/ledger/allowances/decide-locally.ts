import { NoBidReason } from '../../decision/no-bid-reason.ts';
import type { RankedCandidate } from '../../decision/ranked-candidate.ts';
import { ShownTogether } from '../../decision/shown-together.ts';
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
  const shown = imps.length > 1 ? new ShownTogether() : undefined;
  for (const candidates of imps) {
    const refused = shown === undefined || shown.isEmpty ? NONE : refusalsBefore(candidates, shown);
    const winner = refused.length;
    const candidate = candidates[winner];
    const stock = candidate && stockOf(candidate);
    const moments = stock?.take(candidate!, nowMs);
    if (!moments) {
      for (const one of taken) one.stock.putBack(one.candidate, one.moments);
      return undefined;
    }
    shown?.add(candidate!);
    taken.push({ stock: stock!, candidate: candidate!, moments });
    decided.push({ winner, moments, refused, granted: undefined });
  }
  return { imps: decided };
};

/** Why the first candidates may not be shown with the ads so far, up to one that may. */
const refusalsBefore = (candidates: readonly RankedCandidate[], shown: ShownTogether): readonly NoBidReason[] => {
  const refused: NoBidReason[] = [];
  for (const candidate of candidates) {
    const reason = shown.refusalOf(candidate);
    if (reason === undefined) break;
    refused.push(reason);
  }
  return refused;
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
  const shown = new ShownTogether();
  const decide = (candidates: readonly RankedCandidate[]): ReservedImp => {
    const refused: NoBidReason[] = [];
    for (const [winner, candidate] of candidates.entries()) {
      const together = shown.refusalOf(candidate);
      const moments = together ? undefined : isUnbounded(candidate.lineItem, candidate.campaign) ? unheld : take(candidate);
      if (moments) {
        shown.add(candidate);
        return { winner, moments, refused, granted: undefined };
      }
      refused.push(together ?? NoBidReason.CountersUnavailable);
    }
    return { winner: -1, moments: undefined, refused, granted: undefined };
  };
  return { imps: imps.map(decide) };
};
