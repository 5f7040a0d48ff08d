import { MS_PER_DAY, MS_PER_HOUR } from '../../base/utc-day.ts';
import type { Campaign, LineItem } from '../model/entities.ts';
import type { HourlyTraffic } from './hourly-traffic.ts';
import type { ScheduledCurve } from './scheduled-curve.ts';

/**
 * The position of the current hour in a publisher's day of traffic: `shareBefore` of the day's traffic
 * comes before `hourStartMs`, `shareOfHour` within it. Flat traffic is n/24 and 1/24.
 */
export interface TrafficCurve {
  readonly hourStartMs: number;
  readonly shareBefore: number;
  readonly shareOfHour: number;
  /** The day of a line item that serves at some hours only; undefined: of none it is known. */
  readonly scheduled?: ((lineItem: LineItem, campaign: Campaign) => ScheduledCurve | undefined) | undefined;
}

/**
 * The curve at a moment.
 * @param traffic the publisher's day, as the catalog learned it; undefined: flat
 */
export const curveAt = (nowMs: number, traffic?: HourlyTraffic, scheduled?: NonNullable<TrafficCurve['scheduled']>): TrafficCurve => {
  const hour = Math.floor((nowMs % MS_PER_DAY) / MS_PER_HOUR);
  const hourStartMs = nowMs - (nowMs % MS_PER_HOUR);
  if (!traffic) return { hourStartMs, shareBefore: hour / 24, shareOfHour: 1 / 24, scheduled };
  return { hourStartMs, shareBefore: traffic.shareBefore[hour]!, shareOfHour: traffic.shareOfHour[hour]!, scheduled };
};
