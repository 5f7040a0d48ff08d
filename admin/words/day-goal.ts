import type { Delivery } from '../../src/trafficking/insight/delivery.ts';

/** The share of a day's traffic that has come by a time of day, in hours. */
export const shareUntil = (curve: readonly number[], hours: number): number =>
  curve.reduce((sum, share, hour) => sum + share * Math.min(1, Math.max(0, hours - hour)), 0);

export const hoursOf = ({ at }: Delivery): number => {
  const now = new Date(at);
  return now.getUTCHours() + now.getUTCMinutes() / 60;
};

/**
 * Impressions that a paced line item aims at today: the tightest of its daily caps and of what its budgets leave for the day, which the service tells as what
 * is due by now. For one that is not paced, or at the very beginning of a day, its daily cap; null: there is nothing to aim at.
 */
export const dayGoal = (delivery: Delivery): number | null => {
  const { pacing, limits } = delivery;
  const share = shareUntil(pacing.curve, hoursOf(delivery));
  return pacing.target === null || share < 0.001 ? limits.daily_impression_cap : pacing.target / share;
};
