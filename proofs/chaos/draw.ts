import { createChance } from '../../testkit/chance.ts';

/** Random choices from one seed. */
export interface Draw {
  /** A whole number from 0, below `end`. */
  below(end: number): number;
  oneIn(n: number): boolean;
  of<T>(options: readonly T[]): T;
}

export const createDraw = (seed: number): Draw => {
  const chance = createChance(seed);
  const below = (end: number): number => Math.floor(chance() * end);
  return {
    below,
    oneIn: (n) => below(n) === 0,
    of: <T>(options: readonly T[]): T => options[below(options.length)] as T,
  };
};
