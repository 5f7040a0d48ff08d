const WINDOW_MS = 1_000;

/**
 * Chooses which impressions are examined, so that examining takes a fixed part of the time.
 * Every impression is examined until a second has used its units; then one in two, one in four and
 * so on, until the work fits. When a second uses less than a quarter of them, the share doubles
 * again. The weight is fixed before each draw, so weighted counts are unbiased. Without sampling a
 * draw is two comparisons; with it, one random number more.
 *
 * @param unitsPerSecond exceeded for a moment after a leap in traffic: by as many times as the
 *   weight has to double
 * @param random a number in [0, 1)
 */
export const createSampler = (unitsPerSecond: number, random: () => number) => {
  let weight = 1;
  let spent = 0;
  let sinceMs = 0;

  const renew = (atMs: number): void => {
    const windows = Math.min(30, Math.floor(Math.abs(atMs - sinceMs) / WINDOW_MS));
    if (spent * 4 < unitsPerSecond * windows) weight = Math.max(1, weight / 2 ** windows);
    spent = 0;
    sinceMs = atMs;
  };

  return {
    /** How many impressions this one represents: a power of two, or 0 when it is not examined. */
    draw: (atMs: number): number => {
      if (Math.abs(atMs - sinceMs) >= WINDOW_MS) renew(atMs);
      return weight === 1 || random() * weight < 1 ? weight : 0;
    },
    /** Reports the work of an examination. */
    spend: (units: number): void => {
      spent += units;
      if (spent < unitsPerSecond) return;
      weight *= 2;
      spent = 0;
    },
  };
};
