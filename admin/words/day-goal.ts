import { MS_PER_HOUR } from '../../src/base/utc-day.ts';
import type { Delivery } from '../../src/delivery/delivery.ts';

/** The share of a day's traffic before an hour of it. */
const shareUntil = (curve: readonly number[], hours: number): number =>
  curve.reduce((sum, share, hour) => sum + share * Math.min(1, Math.max(0, hours - hour)), 0);

/** Hours of the publisher's day that have passed. */
export const hoursOf = ({ at, day_began_at }: Delivery): number => (Date.parse(at) - Date.parse(day_began_at)) / MS_PER_HOUR;

/** The impressions that a line item aims at today: the goal of its pacing, else its daily cap. */
export const dayGoal = ({ pacing, limits }: Delivery): number | null => pacing.goal ?? limits.daily_impression_cap;

/**
 * The impressions due after so many hours of the day: the straight line over the traffic from where
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
