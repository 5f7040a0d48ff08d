/** Of the normal distribution: 95 of 100 such intervals contain the share. */
const Z = 1.96;

/**
 * The least share that `part` of `whole` observations shows, at 95 % certainty: the lower bound of the
 * Wilson score interval, 0.94 for 60 of 60. 0 without an observation.
 */
export const sureShare = (part: number, whole: number): number => {
  if (whole === 0) return 0;
  const share = part / whole;
  const square = Z ** 2 / whole;
  const half = Z * Math.sqrt((share * (1 - share) + square / 4) / whole);
  return Math.max(0, (share + square / 2 - half) / (1 + square));
};
