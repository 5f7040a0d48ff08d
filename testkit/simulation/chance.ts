/** A seeded sequence of chances: the same seed gives the same day. */
export interface Chance {
  /** In [0, 1). */
  next(): number;
  /** How many of many independent, rare things happen when `mean` are expected. */
  poisson(mean: number): number;
}

/** Above this mean a Poisson draw is made of several: the product of chances below would come too near to zero. */
const LARGEST_MEAN = 32;

/** A 32-bit Weyl sequence with a multiplicative finish: small, and good enough for arrivals. */
export const createChance = (seed: number): Chance => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let x = state;
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32;
  };
  /** Counts how many chances can be multiplied before e^-mean is passed (Knuth). */
  const small = (mean: number): number => {
    const limit = Math.exp(-mean);
    let count = 0;
    for (let product = next(); product > limit; product *= next()) count++;
    return count;
  };
  const poisson = (mean: number): number => {
    let count = 0;
    let left = mean;
    for (; left > LARGEST_MEAN; left -= LARGEST_MEAN) count += small(LARGEST_MEAN);
    return count + (left > 0 ? small(left) : 0);
  };
  return { next, poisson };
};
