import type { Voice } from '../catalog/snapshot/snapshot.ts';

/**
 * The line item that a request is given to, of those that could serve it; undefined: it is for the line items
 * without a share. Shares above 100 per cent together are scaled down to it.
 *
 * @param draw a number in [0, 1), the same for all impressions of a request
 */
export const drawVoice = (voices: readonly Voice[], draw: number): Voice | undefined => {
  const sum = voices.reduce((total, { percent }) => total + percent, 0);
  let at = draw * Math.max(sum, 100);
  return voices.find(({ percent }) => (at -= percent) < 0);
};

/** One number for a request, drawn when it is first asked for: most requests meet no share. */
export const drawOnce = (random: () => number): (() => number) => {
  let drawn: number | undefined;
  return () => (drawn ??= random());
};
