import { MS_PER_DAY, MS_PER_HOUR } from '../base/utc-day.ts';

/** Days of a schedule, in the order of the week. */
export const WEEK_DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type WeekDay = (typeof WEEK_DAYS)[number];
/** Whose clock a schedule means. */
export type ScheduleZone = 'publisher' | 'visitor';

/** A part of a schedule: half hours from `from` until before `to`, as `08:30` and `24:00`, on each of the days. */
export interface DayPart {
  readonly days: readonly WeekDay[];
  readonly from: string;
  readonly to: string;
}

export const HALF_HOUR_MS = MS_PER_HOUR / 2;
export const HALF_HOURS_A_DAY = MS_PER_DAY / HALF_HOUR_MS;
export const HALF_HOURS_A_WEEK = 7 * HALF_HOURS_A_DAY;
/** 1970-01-01 was a Thursday. */
const FIRST_DAY = WEEK_DAYS.indexOf('thu');

/** `08:30` as 17 half hours; undefined: it is no half hour of a day. */
export const halfHourOf = (time: string): number | undefined => {
  const [, hour, minute] = /^(\d\d):(00|30)$/.exec(time) ?? [];
  const halves = 2 * Number(hour) + (minute === '30' ? 1 : 0);
  return hour !== undefined && halves <= HALF_HOURS_A_DAY ? halves : undefined;
};

/** The half hours of the week that parts of days name, ascending. */
export const halfHoursIn = (parts: readonly DayPart[]): readonly number[] => {
  const halves = new Set<number>();
  for (const { days, from, to } of parts)
    for (const day of days)
      for (let half = halfHourOf(from) ?? 0; half < (halfHourOf(to) ?? 0); half++)
        halves.add(WEEK_DAYS.indexOf(day) * HALF_HOURS_A_DAY + half);
  return [...halves].sort((a, b) => a - b);
};

/** The half hour of the week on a clock that is `offsetMs` before UTC. */
export const halfHourAt = (atMs: number, offsetMs: number): number => {
  const localMs = atMs + offsetMs;
  const day = (Math.floor(localMs / MS_PER_DAY) + FIRST_DAY) % 7;
  return day * HALF_HOURS_A_DAY + Math.floor((localMs % MS_PER_DAY) / HALF_HOUR_MS);
};

/** What a rule compares with: an hour of the week as `p37`, half of one as `p37.1`; `v` is the visitor's. */
export const hoursOffered = (zone: ScheduleZone, half: number): readonly string[] => {
  const hour = `${zone[0]}${half >> 1}`;
  return [hour, `${hour}.${half & 1}`];
};

/** The same of a schedule: whole hours where it can. */
export const hoursWanted = (zone: ScheduleZone, halves: readonly number[]): readonly string[] => {
  const on = new Set(halves);
  return halves.flatMap((half) => {
    const [hour, part] = hoursOffered(zone, half) as readonly [string, string];
    if (!on.has(half ^ 1)) return [part];
    return (half & 1) === 0 ? [hour] : [];
  });
};
