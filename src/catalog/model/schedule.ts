import type { TargetingRule } from '../../targeting/targeting-rules.ts';
import { halfHoursIn, hoursWanted, type DayPart, type ScheduleZone } from '../../targeting/week-hours.ts';

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
