import type { Hit } from '../../ledger/hit.ts';

/**
 * The hits that Redis has taken from this replica in the last seconds: between them and their rows lies the stream, which a
 * loss of Redis takes too.
 */
export interface RecentHits {
  note(hit: Hit): void;
  /** Forgets those that were noted before the last call. */
  age(): void;
  /** Those that are remembered. */
  list(): readonly Hit[];
}

/** About 50 MB. With more hits the time for which they are remembered is shorter. */
const MAX_HITS = 25_000;

export const createRecentHits = (): RecentHits => {
  let newer: Hit[] = [];
  let older: Hit[] = [];
  const age = (): void => {
    older = newer;
    newer = [];
  };
  return {
    note: (hit) => {
      if (newer.length >= MAX_HITS) age();
      newer.push(hit);
    },
    age,
    list: () => [...older, ...newer],
  };
};
