import { daySpan, UTC_DAYS, type DayRule, type DaySpan } from '../../base/local-day.ts';
import { MS_PER_DAY, MS_PER_HOUR } from '../../base/utc-day.ts';
import type { Campaign, LineItem } from '../model/entities.ts';
import type { HourlyTraffic } from './hourly-traffic.ts';
import type { TrafficBefore } from './hours-traffic.ts';
import type { ScheduledCurve } from './scheduled-curve.ts';

/**
 * The position of the current hour in a publisher's day of traffic: `shareBefore` of the day's traffic
 * comes before `hourStartMs`, `shareOfHour` within it. Flat traffic is n/24 and 1/24 on a day of 24 hours.
 */
export interface TrafficCurve {
  /** An hour begins with one of UTC, from which traffic is learned, or with the publisher's day. */
  readonly hourStartMs: number;
  /** Less than an hour at the edges of a day whose clocks are no whole number of hours from UTC. Default: an hour. */
  readonly lengthMs?: number;
  readonly shareBefore: number;
  readonly shareOfHour: number;
  /** The publisher's days; undefined: those of UTC. */
  readonly days?: DayRule | undefined;
  /** The day of a line item that serves at some hours only; undefined: of none it is known. */
  readonly scheduled?: ((lineItem: LineItem, campaign: Campaign) => ScheduledCurve | undefined) | undefined;
}

/**
 * The curve at a moment.
 * @param traffic the publisher's traffic by UTC hour, as the catalog learned it; undefined: flat
 * @param days the publisher's; undefined: those of UTC
 */
export const curveAt = (
  nowMs: number,
  traffic?: HourlyTraffic,
  scheduled?: TrafficCurve['scheduled'],
  days: DayRule = UTC_DAYS,
): TrafficCurve => {
  const hourMs = nowMs - (nowMs % MS_PER_HOUR);
  if (days === UTC_DAYS) return { hourStartMs: hourMs, ...partsOfUtcDay(hourOf(nowMs), traffic), scheduled };
  const { startMs, endMs } = daySpan(days, nowMs);
  const [hourStartMs, hourEndMs] = [Math.max(hourMs, startMs), Math.min(hourMs + MS_PER_HOUR, endMs)];
  const trafficUntil = (ms: number): number => cycleUntil(ms, traffic) - cycleUntil(startMs, traffic);
  const [before, whole] = [trafficUntil(hourStartMs), trafficUntil(endMs)];
  return {
    hourStartMs,
    lengthMs: hourEndMs - hourStartMs,
    shareBefore: before / whole,
    shareOfHour: (trafficUntil(hourEndMs) - before) / whole,
    days,
    scheduled,
  };
};

/** The share of a day's traffic before a moment in the hour of a curve. */
export const shareAt = ({ hourStartMs, lengthMs = MS_PER_HOUR, shareBefore, shareOfHour }: TrafficCurve, atMs: number): number =>
  shareBefore + (shareOfHour * (atMs - hourStartMs)) / lengthMs;

/** A publisher's day, and its traffic by hours from its beginning: shares that sum to 1, 23 to 25 of them. */
export interface DayTraffic {
  readonly day: DaySpan;
  readonly byHour: readonly number[];
}

/** The traffic of the day of a moment. */
export const dayTraffic = (curveOf: (atMs: number) => TrafficCurve, atMs: number): DayTraffic => {
  const day = daySpan(curveOf(atMs).days ?? UTC_DAYS, atMs);
  const until = (ms: number): number => (ms >= day.endMs ? 1 : shareAt(curveOf(ms), ms));
  const shareFrom = (ms: number): number => {
    const { hourStartMs, lengthMs = MS_PER_HOUR, shareOfHour } = curveOf(ms);
    return hourStartMs === ms && lengthMs === MS_PER_HOUR ? shareOfHour : until(ms + MS_PER_HOUR) - until(ms);
  };
  const hours = Math.ceil((day.endMs - day.startMs) / MS_PER_HOUR);
  return { day, byHour: Array.from({ length: hours }, (_, hour) => shareFrom(day.startMs + hour * MS_PER_HOUR)) };
};

/** The same of a line item that serves at some hours only, with the traffic in them; on a day without any, of the whole day. */
export const trafficInHours = ({ day, byHour }: DayTraffic, before: TrafficBefore): DayTraffic => {
  const whole = before(day.endMs) - before(day.startMs);
  const until = (hour: number): number => before(Math.min(day.startMs + hour * MS_PER_HOUR, day.endMs));
  return whole > 0 ? { day, byHour: byHour.map((_, hour) => (until(hour + 1) - until(hour)) / whole) } : { day, byHour };
};

const hourOf = (ms: number): number => Math.floor((ms % MS_PER_DAY) / MS_PER_HOUR);

const partsOfUtcDay = (hour: number, traffic: HourlyTraffic | undefined): Pick<TrafficCurve, 'shareBefore' | 'shareOfHour'> =>
  traffic
    ? { shareBefore: traffic.shareBefore[hour]!, shareOfHour: traffic.shareOfHour[hour]! }
    : { shareBefore: hour / 24, shareOfHour: 1 / 24 };

/** Traffic of all days before a moment, in UTC days: each of them has the same hours. */
const cycleUntil = (ms: number, traffic: HourlyTraffic | undefined): number => {
  const { shareBefore, shareOfHour } = partsOfUtcDay(hourOf(ms), traffic);
  return Math.floor(ms / MS_PER_DAY) + shareBefore + (shareOfHour * (ms % MS_PER_HOUR)) / MS_PER_HOUR;
};
