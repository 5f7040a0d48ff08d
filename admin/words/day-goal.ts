import type { Delivery } from '../../src/delivery/delivery.ts';

/** The share of a day's traffic up to a time of day, in hours. */
const shareUntil = (curve: readonly number[], hours: number): number =>
  curve.reduce((sum, share, hour) => sum + share * Math.min(1, Math.max(0, hours - hour)), 0);

export const hoursOf = ({ at }: Delivery): number => {
  const now = new Date(at);
  return now.getUTCHours() + now.getUTCMinutes() / 60;
};

/** The impressions that a line item aims at today: the goal of its pacing, else its daily cap. */
export const dayGoal = ({ pacing, limits }: Delivery): number | null => pacing.goal ?? limits.daily_impression_cap;

/**
 * The impressions due at a time of day, in hours: the straight line over the traffic from where
 * pacing began today to the goal. Without pacing, the goal. null: none.
 */
export const dueAt = (delivery: Delivery, hours: number): number | null => {
  const goal = dayGoal(delivery);
  const { began, curve } = delivery.pacing;
  if (goal === null || began === null) return goal;
  const share = shareUntil(curve, hours);
  if (share < began.share) return null;
  return began.impressions + ((goal - began.impressions) * (share - began.share)) / Math.max(1 - began.share, 1e-6);
};
