import type { Delivery } from '../../src/trafficking/insight/delivery.ts';

/** The share of a day's traffic up to a time of day, in hours. */
export const shareUntil = (curve: readonly number[], hours: number): number =>
  curve.reduce((sum, share, hour) => sum + share * Math.min(1, Math.max(0, hours - hour)), 0);

export const hoursOf = ({ at }: Delivery): number => {
  const now = new Date(at);
  return now.getUTCHours() + now.getUTCMinutes() / 60;
};

/**
 * The impressions that a paced line item aims at today, derived from the number due by now. Without
 * pacing, and in the first minutes of a day, its daily cap; null: it has no goal.
 */
export const dayGoal = (delivery: Delivery): number | null => {
  const { pacing, limits } = delivery;
  const share = shareUntil(pacing.curve, hoursOf(delivery));
  return pacing.target === null || share < 0.001 ? limits.daily_impression_cap : pacing.target / share;
};
