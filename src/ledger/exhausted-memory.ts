import { LRUCache } from 'lru-cache';
import { NoBidReason } from '../decision/no-bid-reason.ts';

/**
 * A cap lasts for the day, but an expired reservation may free a place; a bucket refills at any
 * moment. Reasons that concern one user or client are kept by name (RefusalMemory).
 */
const FRESH_MS = new Map<NoBidReason, number>([
  [NoBidReason.AccountSetAside, 1000],
  [NoBidReason.BooksRebuilding, 50],
  [NoBidReason.BudgetSpent, 1000],
  [NoBidReason.GoalReached, 1000],
  [NoBidReason.DailyCap, 1000],
  [NoBidReason.Pacing, 50],
  [NoBidReason.RateLimit, 50],
]);

/**
 * What other replicas hold of a line item comes back within two seconds of its first refusal (allowances/), so that it
 * is offered more often until then. Refusals with less than that between them are one.
 */
const EARLY_MS = 2_000;
const EARLY_FRESH_MS = 250;

/**
 * Recent refusals by the ledger, so that the next requests offer other candidates first. Only a
 * hint: it is short-lived, a replica may lose it at any time, and only the ledger decides.
 */
export const createExhaustedMemory = (size: number) => {
  let reasons: Uint16Array | undefined;
  let until: Float64Array | undefined;
  /** When the entry was refused first. */
  let since: Float64Array | undefined;
  return {
    /** The reason for which the entry at `position` was refused, if that is still fresh; else 0. */
    reasonAt: (position: number, nowMs: number): NoBidReason | 0 =>
      until && until[position]! > nowMs ? ((reasons as Uint16Array)[position] as NoBidReason) : 0,
    remember: (position: number, reason: NoBidReason, nowMs: number): void => {
      const fresh = FRESH_MS.get(reason);
      if (fresh === undefined) return;
      reasons ??= new Uint16Array(size);
      until ??= new Float64Array(size);
      since ??= new Float64Array(size);
      if (nowMs - until[position]! >= EARLY_MS) since[position] = nowMs;
      reasons[position] = reason;
      until[position] = nowMs + (nowMs - since[position]! < EARLY_MS ? Math.min(fresh, EARLY_FRESH_MS) : fresh);
    },
  };
};

export type ExhaustedMemory = ReturnType<typeof createExhaustedMemory>;

const REFUSAL_FRESH_MS = 1_000;
const MAX_NAMES = 1_000;

/**
 * Recent refusals to one user by frequency caps, or to one client whose holds are not earned, for the same purpose.
 * Without it, a user who has seen a thousand capped line items would have all of them checked for
 * every impression of every request.
 */
export const createRefusalMemory = () => {
  const names = new LRUCache<string, Map<number, number>>({ max: MAX_NAMES });
  return {
    /** Until when line items are refused to a user or a client, epoch ms by id; undefined: none was lately. */
    of: (name: string): ReadonlyMap<number, number> | undefined => names.get(name),
    remember: (name: string, lineItemId: number, nowMs: number): void => {
      let refused = names.get(name);
      if (!refused) names.set(name, (refused = new Map()));
      refused.set(lineItemId, nowMs + REFUSAL_FRESH_MS);
    },
  };
};

export type RefusalMemory = ReturnType<typeof createRefusalMemory>;
