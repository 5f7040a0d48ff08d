/** Random numbers in [0, 1). */
export type Chance = () => number;

/**
 * A repeatable sequence of random numbers: the same seed gives the same sequence. A 32-bit Weyl
 * sequence with a multiplicative finish (MurmurHash3's finalizer).
 */
export const createChance = (seed: number): Chance => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let x = state;
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32;
  };
};

/** Above this mean `poisson` adds several draws: e^-mean of a larger one is too close to zero. */
const MAX_MEAN = 32;

/** Draws the number of independent, rare events when `mean` are expected. Source: Knuth, TAOCP 2, 3.4.1. */
export const poisson = (chance: Chance, mean: number): number => {
  let count = 0;
  for (let left = mean; left > 0; left -= MAX_MEAN) {
    const limit = Math.exp(-Math.min(left, MAX_MEAN));
    for (let product = chance(); product > limit; product *= chance()) count++;
  }
  return count;
};
