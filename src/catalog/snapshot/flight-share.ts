import { daySpan, UTC_DAYS, type DaySpan } from '../../base/local-day.ts';
import { MS_PER_DAY, MS_PER_HOUR } from '../../base/utc-day.ts';
import type { Flight } from '../model/entities.ts';
import type { TrafficBefore } from './hours-traffic.ts';

/** A moment of a flight, with what is known of its day. */
export interface FlightMoment {
  readonly flight: Flight;
  /** The shares of the day's traffic by hours from its beginning. */
  readonly curve: readonly number[];
  readonly atMs: number;
  /** The publisher's day. Default: that of UTC. */
  readonly day?: DaySpan;
  /** Of a line item that serves at some hours only: its flight passes as the traffic in them does. */
  readonly hours?: TrafficBefore | undefined;
}

/** The share of a flight that has passed, with each day passing as its traffic does, as in pacing (ledger/lua/bucket.lua). */
export const flightShare = (moment: FlightMoment, atMs: number): number => {
  const { startMs, endMs } = moment.flight;
  if (atMs <= startMs) return 0;
  if (atMs >= endMs) return 1;
  const { hours } = moment;
  const ofHours = hours ? hours(endMs) - hours(startMs) : 0;
  if (hours && ofHours > 0) return (hours(atMs) - hours(startMs)) / ofHours;
  const day = dayAt(moment, atMs);
  const [fromMs, toMs] = [Math.max(day.startMs, startMs), Math.min(day.endMs, endMs)];
  const before = shareUntil(moment.curve, day, fromMs);
  const ofDay =
    toMs < day.endMs ? (atMs - fromMs) / (toMs - fromMs) : (shareUntil(moment.curve, day, atMs) - before) / Math.max(1 - before, 1e-6);
  return (fromMs - startMs + ofDay * (toMs - fromMs)) / (endMs - startMs);
};

/** The day of a moment, or for an earlier time the 24 hours before it. */
export const dayAt = ({ day, atMs }: FlightMoment, ms: number): DaySpan => {
  const today = day ?? daySpan(UTC_DAYS, atMs);
  return ms >= today.startMs ? today : { startMs: today.startMs - MS_PER_DAY, endMs: today.startMs };
};

/** The share of a day's traffic before a moment. */
export const shareUntil = (curve: readonly number[], { startMs }: DaySpan, atMs: number): number => {
  const hours = (atMs - startMs) / MS_PER_HOUR;
  return curve.reduce((sum, share, hour) => sum + share * Math.min(1, Math.max(0, hours - hour)), 0);
};
