import type { TargetingRule } from '../../targeting/targeting-rules.ts';
import type { DayRule } from '../../base/local-day.ts';
import {
  HALF_HOUR_MS,
  HALF_HOURS_A_WEEK,
  halfHourAt,
  halfHoursIn,
  hoursWanted,
  type DayPart,
  type ScheduleZone,
} from '../../targeting/week-hours.ts';

/** When a line item serves. */
export interface Schedule {
  readonly zone: ScheduleZone;
  /** Of the week, ascending; never all of it. */
  readonly halfHours: readonly number[];
  /** As the targeting index reads it. */
  readonly rule: TargetingRule;
}

/** null: always. */
export const scheduleOf = (parts: readonly DayPart[], zone: ScheduleZone): Schedule | null => {
  const halfHours = halfHoursIn(parts);
  if (halfHours.length === 0) return null;
  return { zone, halfHours, rule: { kind: 'schedule', name: 'hour', values: hoursWanted(zone, halfHours) } };
};

/** A half hour that clocks skip once comes in the week after. */
const MAX_HALF_HOURS_OFF = 2 * HALF_HOURS_A_WEEK;

/**
 * When the hours of a line item begin again; undefined: it serves now, or has the hours of each visitor.
 *
 * @param days of the publisher, around the moment
 */
export const servesAgainAt = ({ halfHours, zone }: Schedule, atMs: number, { offsetMs, untilMs, thenMs }: DayRule): number | undefined => {
  if (zone === 'visitor') return undefined;
  const on = new Set(halfHours);
  const offsetAt = (ms: number): number => (ms < untilMs ? offsetMs : thenMs);
  const isOn = (ms: number): boolean => on.has(halfHourAt(ms, offsetAt(ms)));
  if (isOn(atMs)) return undefined;
  let beginsMs = atMs - ((atMs + offsetAt(atMs)) % HALF_HOUR_MS);
  for (let half = 0; half < MAX_HALF_HOURS_OFF; half++) {
    beginsMs += HALF_HOUR_MS;
    if (isOn(beginsMs)) return beginsMs;
  }
  return undefined;
};
