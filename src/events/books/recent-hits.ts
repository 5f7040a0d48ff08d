/**
 * The hits that Redis has taken from this replica in the last seconds: between them and their rows lies the stream, which a
 * loss of Redis takes too. As texts (ledger/hit-text.ts): of objects the garbage collector would move several for each hit.
 */
export interface RecentHits {
  note(hitText: string): void;
  /** Forgets those that were noted before the last call. */
  age(): void;
  /** Those that are remembered. */
  list(): readonly string[];
}

/** About 15 MB. With more hits the time for which they are remembered is shorter. */
const MAX_HITS = 25_000;

export const createRecentHits = (): RecentHits => {
  let newer: string[] = [];
  let older: string[] = [];
  const age = (): void => {
    older = newer;
    newer = [];
  };
  return {
    note: (hitText) => {
      if (newer.length >= MAX_HITS) age();
      newer.push(hitText);
    },
    age,
    list: () => [...older, ...newer],
  };
};
