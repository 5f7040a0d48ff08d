export type Chance = ReturnType<typeof createChance>;

/** The same numbers in every run (mulberry32). */
export const createChance = (seed: number) => {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** In [from, to). */
  const between = (from: number, to: number): number => from + next() * (to - from);
  /** A whole number, both ends included. */
  const whole = (from: number, to: number): number => Math.floor(between(from, to + 1));
  return { between, whole, pick: <T>(list: readonly T[]): T => list[whole(0, list.length - 1)]! };
};
