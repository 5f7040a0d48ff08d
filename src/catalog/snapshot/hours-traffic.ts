import { MS_PER_DAY, MS_PER_HOUR } from '../../base/utc-day.ts';
import { HALF_HOUR_MS, halfHourAt, HALF_HOURS_A_WEEK } from '../../targeting/week-hours.ts';
import type { Schedule } from '../model/schedule.ts';
import type { HourlyTraffic } from './hourly-traffic.ts';

/** Visitors are mostly where the publisher is; others are served at hours when it sleeps. */
const OTHER_ZONES_PART = 0.05;

/**
 * What a half hour is worth to a line item that serves at some hours: 1 is the traffic of a whole day.
 *
 * @param utcHour in which it begins
 * @param half of the week, on the publisher's clock
 */
export type HalfHourTraffic = (utcHour: number, half: number) => number;

/** @param traffic undefined: flat */
export const halfHourTraffic = ({ halfHours, zone }: Schedule, traffic: HourlyTraffic | undefined): HalfHourTraffic => {
  const on = new Set(halfHours);
  const off = zone === 'visitor' ? OTHER_ZONES_PART : 0;
  return (utcHour, half) => ((traffic?.shareOfHour[utcHour] ?? 1 / 24) / 2) * (on.has(half) ? 1 : off);
};

/** The traffic in its hours before a moment, of which only differences count. */
export type TrafficBefore = (atMs: number) => number;

const WEEK_MS = HALF_HOURS_A_WEEK * HALF_HOUR_MS;

/**
 * The traffic that a line item has in its hours over any number of weeks. One week is like the next, on a clock that
 * does not change: an hour more or less of a flight is worth little.
 *
 * @param offsetMs of the publisher's clock
 */
export const hoursTraffic = (schedule: Schedule, offsetMs: number, traffic: HourlyTraffic | undefined): TrafficBefore => {
  const ofHalf = halfHourTraffic(schedule, traffic);
  const before = [0];
  for (let half = 0; half < HALF_HOURS_A_WEEK; half++) {
    const ofDayMs = (half * HALF_HOUR_MS - offsetMs + MS_PER_DAY) % MS_PER_DAY;
    before.push(before[half]! + ofHalf(Math.floor(ofDayMs / MS_PER_HOUR), half));
  }
  const ofWeek = before[HALF_HOURS_A_WEEK]!;
  return (atMs) => {
    const half = halfHourAt(atMs, offsetMs);
    const ofHalfMs = (atMs + offsetMs) % HALF_HOUR_MS;
    const mondayMs = atMs + offsetMs - ofHalfMs - half * HALF_HOUR_MS;
    return (mondayMs / WEEK_MS) * ofWeek + before[half]! + ((before[half + 1]! - before[half]!) * ofHalfMs) / HALF_HOUR_MS;
  };
};
