/** The same numbers in every run (mulberry32). */
export interface Chance {
  /** In [from, to). */
  between(from: number, to: number): number;
  /** A whole number, both ends included. */
  whole(from: number, to: number): number;
  pick<T>(list: readonly T[]): T;
}

export const createChance = (seed: number): Chance => {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between: Chance['between'] = (from, to) => from + next() * (to - from);
  const whole: Chance['whole'] = (from, to) => Math.floor(between(from, to + 1));
  return { between, whole, pick: (list) => list[whole(0, list.length - 1)]! };
};
