import type { HitOutcome } from '../../src/tracking/record-hit.ts';
import type { Ad, Violation } from './model.ts';
import { MAX_SKEW_MS } from './rules.ts';

export interface Answer {
  readonly ad: Ad;
  readonly key: string;
  /** The same hit was sent before. */
  readonly isRepeat: boolean;
  /** undefined: the token was refused. */
  readonly outcome: HitOutcome | undefined;
}

export interface Circumstances {
  readonly trueMs: number;
  /** The clock of the replica that answered. */
  readonly replicaMs: number;
  readonly redisFails: boolean;
  readonly postgresFails: boolean;
  /** Of ads from before this, Redis does not know enough. */
  readonly knownFromMs: number;
}

/** Whether a hit got an answer that it deserved. That an acknowledged hit is counted is checked by the events. */
export const checkAnswer = (
  { ad, key, isRepeat, outcome }: Answer,
  { trueMs, replicaMs, redisFails, postgresFails, knownFromMs }: Circumstances,
): readonly Violation[] => {
  const endMs = ad.ad.tokenExpS * 1000;
  switch (outcome) {
    case 'accepted':
      return [];
    case 'duplicate':
      return isRepeat ? [] : [{ rule: 'answer', text: `${key} was sent once and called a duplicate` }];
    case 'expired':
      return trueMs + MAX_SKEW_MS < endMs
        ? [{ rule: 'answer', text: `${key} was called expired ${endMs - trueMs} ms before its end` }]
        : [];
    case 'unavailable':
      return postgresFails && (redisFails || ad.selectedAtMs < knownFromMs)
        ? []
        : [{ rule: 'answer', text: `${key} was refused while a store worked` }];
    case undefined:
      return replicaMs < endMs ? [{ rule: 'answer', text: `the token of ${key} was refused ${endMs - replicaMs} ms before its end` }] : [];
  }
};
