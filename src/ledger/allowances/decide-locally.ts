import { NoBidReason } from '../../decision/no-bid-reason.ts';
import { allAdsOf, type RankedCandidate } from '../../decision/ranked-candidate.ts';
import { refusalOfAll, ShownTogether } from '../../decision/shown-together.ts';
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
  return decideInTurn(imps, (candidate) => {
    if (isUnbounded(candidate.lineItem, candidate.campaign)) return mayBeAlone(candidate) ? unheld : NoBidReason.CountersUnavailable;
    return take(candidate) ?? NoBidReason.CountersUnavailable;
  });
};

/** Without Redis no later request finds what is kept for it. */
const mayBeAlone = ({ block }: RankedCandidate): boolean => block === undefined || block.kept.length === 0;

/**
 * Decides one impression after the other, with the ads of roadblocks.
 *
 * @param judge why a candidate is refused, or when its reservation ends
 */
export const decideInTurn = (imps: Imps, judge: (candidate: RankedCandidate) => ReservationMoments | NoBidReason): Reservation => {
  const page = new PageInTurn();
  return {
    imps: imps.map((candidates, imp) => {
      const bound = page.boundAt(imp);
      if (bound) return { winner: -1, ...bound, refused: NONE, granted: undefined };
      const refused: NoBidReason[] = [];
      for (const [winner, candidate] of candidates.entries()) {
        const judged = page.refusalOf(candidate) ?? judge(candidate);
        if (typeof judged === 'object') {
          page.add(candidate, judged);
          return { winner, moments: judged, refused, granted: undefined };
        }
        refused.push(judged);
      }
      return { winner: -1, moments: undefined, refused, granted: undefined };
    }),
  };
};

/** What the impressions that are decided so far show. block.lua is the same in Lua. */
class PageInTurn {
  private readonly shown = new ShownTogether();
  private readonly bound = new Map<number, { readonly bound: RankedCandidate; readonly moments: ReservationMoments }>();

  boundAt(imp: number) {
    return this.bound.get(imp);
  }

  refusalOf(candidate: RankedCandidate): NoBidReason | undefined {
    if (candidate.block?.bound.some(({ imp }) => this.bound.has(imp))) return NoBidReason.RoadblockIncomplete;
    return refusalOfAll(this.shown, candidate);
  }

  add(candidate: RankedCandidate, moments: ReservationMoments): void {
    for (const one of allAdsOf(candidate)) this.shown.add(one);
    for (const { imp, candidate: ad } of candidate.block?.bound ?? []) this.bound.set(imp, { bound: ad, moments });
  }
}
