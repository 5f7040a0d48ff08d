import { LRUCache } from 'lru-cache';
import { withoutFrequencyCap } from '../catalog/model/without-frequency-cap.ts';
import type { RankedCandidate } from '../decision/ranked-candidate.ts';
import type { AdRequest } from './ad-request.ts';
import { MS_PER_MINUTE } from '../base/utc-day.ts';

/**
 * Frequency caps of users whose id may not be stored, for publishers that chose `session`. Each
 * replica counts its own selections, in memory, for half an hour: the caps are approximate, and a
 * restart begins anew. The keys are hashed with a key that only this process has.
 */
export interface SessionCaps {
  isFull(sessionUser: string, candidate: RankedCandidate, nowMs: number): boolean;
  take(sessionUser: string, candidate: RankedCandidate, nowMs: number): void;
}

const SESSION_MS = 30 * MS_PER_MINUTE;
const MAX_USERS = 20_000;
/** Places of one user; the oldest are dropped. */
const MAX_PLACES = 1_000;

interface Place {
  readonly lineItemId: number;
  readonly endMs: number;
}

export const createSessionCaps = (): SessionCaps => {
  const users = new LRUCache<string, Place[]>({ max: MAX_USERS });
  return {
    isFull: (sessionUser, { lineItem: { id, frequencyCap } }, nowMs) =>
      frequencyCap !== null &&
      (users.get(sessionUser) ?? []).filter(({ lineItemId, endMs }) => lineItemId === id && endMs > nowMs).length >= frequencyCap.places,
    take: (sessionUser, { lineItem: { id, frequencyCap } }, nowMs) => {
      if (frequencyCap === null) return;
      const places = (users.get(sessionUser) ?? []).filter(({ endMs }) => endMs > nowMs).slice(1 - MAX_PLACES);
      users.set(sessionUser, [...places, { lineItemId: id, endMs: nowMs + Math.min(frequencyCap.windowMs, SESSION_MS) }]);
    },
  };
};

/** The candidates as the ledger sees them: without the caps that are kept here. */
export const offeredToLedger = ({ sessionUser }: AdRequest, candidates: readonly RankedCandidate[]): readonly RankedCandidate[] =>
  sessionUser === null
    ? candidates
    : candidates.map((candidate) =>
        candidate.lineItem.frequencyCap ? { ...candidate, lineItem: withoutFrequencyCap(candidate.lineItem) } : candidate,
      );
