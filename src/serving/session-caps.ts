import { LRUCache } from 'lru-cache';
import { MS_PER_MINUTE } from '../base/utc-day.ts';
import { withoutFrequencyCaps } from '../catalog/model/changed-line-item.ts';
import { NO_SHARED_COUNTS } from '../catalog/model/frequency-caps.ts';
import { adsOf, type RankedCandidate } from '../decision/ranked-candidate.ts';
import { counterOf, countedOf, countsOf, isCountedForCaps } from '../ledger/frequency-counters.ts';
import type { AdRequest } from './ad-request.ts';

/**
 * Frequency caps of users whose id may not be stored, for publishers that chose `session`. Each
 * replica counts its own selections, in memory, for half an hour: the caps are approximate, and a
 * restart begins anew. Nothing is known of their clicks, so a cap of clicks is always full. The keys are
 * hashed with a key that only this process has.
 */
export type SessionCaps = ReturnType<typeof createSessionCaps>;

const SESSION_MS = 30 * MS_PER_MINUTE;
const MAX_USERS = 20_000;
/** Places of one user; the oldest are dropped. */
const MAX_PLACES = 1_000;

interface Place {
  readonly counter: number;
  readonly atMs: number;
}

export const createSessionCaps = () => {
  const users = new LRUCache<string, Place[]>({ max: MAX_USERS });
  return {
    isFull: (sessionUser: string, candidate: RankedCandidate, nowMs: number): boolean => {
      const places = users.get(sessionUser) ?? [];
      return candidate.lineItem.frequencyCaps.some((cap) => {
        if (cap.of === 'clicks') return true;
        const counted = counterOf(cap, candidate);
        const sinceMs = nowMs - Math.min(cap.windowMs, SESSION_MS);
        return (
          places.filter(({ counter, atMs }) => counter === counted && atMs > sinceMs).length + Math.min(adsOf(candidate), cap.max) > cap.max
        );
      });
    },
    take: (sessionUser: string, candidate: RankedCandidate, nowMs: number): void => {
      const counters = countsOf(countedOf(candidate) ?? [], 'impressions').filter((_, i) => i % 2 === 0);
      if (counters.length === 0) return;
      const kept = (users.get(sessionUser) ?? []).filter(({ atMs }) => atMs > nowMs - SESSION_MS);
      const places = [...kept, ...counters.map((counter) => ({ counter, atMs: nowMs }))];
      users.set(sessionUser, places.slice(-MAX_PLACES));
    },
  };
};

/** The candidates as the ledger sees them: without the caps that are kept here. */
export const offeredToLedger = ({ sessionUser }: AdRequest, candidates: readonly RankedCandidate[]): readonly RankedCandidate[] =>
  sessionUser === null ? candidates : candidates.map((candidate) => (isCountedForCaps(candidate) ? withoutCaps(candidate) : candidate));

const withoutCaps = (candidate: RankedCandidate): RankedCandidate => ({
  ...candidate,
  lineItem: withoutFrequencyCaps(candidate.lineItem),
  campaign: Object.create(candidate.campaign, { counted: { value: NO_SHARED_COUNTS, enumerable: true } }) as RankedCandidate['campaign'],
});
