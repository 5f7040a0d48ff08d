import { dayOf, MS_PER_DAY, MS_PER_HOUR } from '../../../src/base/utc-day.ts';
import type { DayPart } from '../../../src/targeting/week-hours.ts';
import type { Page } from '../../page.ts';
import { readReport } from '../../reports/read-report.ts';
import { evenCourse, type FlightCourse } from './flight-course.ts';

/** What was delivered in an hour of a flight. */
export interface CourseHour {
  readonly day: string;
  /** 0 to 23, of the publisher's clock. */
  readonly hour: number;
  readonly impressions: number;
}

const HOURS_PER_DAY = MS_PER_DAY / MS_PER_HOUR;
/** A flight of up to so many days is shown by hour. */
export const MAX_HOURLY_COURSE_DAYS = 3;

/** The impressions of a short flight, summed up to the end of each hour that has begun. */
export interface HourlyCourse {
  /** Days since 1970, with the part of the day that is over. */
  readonly times: readonly number[];
  /** null: the hour is to come. */
  readonly delivered: readonly (number | null)[];
  /** An even course to the goal, over the hours in which it runs. */
  readonly planned: readonly number[] | undefined;
}

/** @param schedule the hours of the week in which it runs; none: all */
export const hourlyCourse = (
  { first, last, today, state }: FlightCourse,
  hours: readonly CourseHour[],
  goal: number | null,
  schedule: readonly DayPart[] = [],
): HourlyCourse => {
  const length = (last - first + 1) * HOURS_PER_DAY;
  const at = ({ day, hour }: CourseHour): number => (dayOf(Date.parse(day)) - first) * HOURS_PER_DAY + hour;
  const byHour = new Map(hours.map((one) => [at(one), one.impressions]));
  const newest = Math.max((today - first) * HOURS_PER_DAY, ...byHour.keys());
  let sum = 0;
  const sums = Array.from({ length }, (_, i) => (state === 'running' && i > newest ? null : (sum += byHour.get(i) ?? 0)));
  return {
    // From nothing, at the beginning, to the end of the last hour.
    times: Array.from({ length: length + 1 }, (_, i) => first + i / HOURS_PER_DAY),
    delivered: [0, ...sums],
    planned: goal === null ? undefined : [0, ...evenCourse(goal, first, length, schedule, HOURS_PER_DAY)],
  };
};

/** undefined: hours are not kept for that long. */
export const readHours = async (
  page: Page,
  of: 'line_item' | 'campaign',
  id: number,
  days: { readonly from: string; readonly to: string },
): Promise<readonly CourseHour[] | undefined> => {
  const asked = { ...days, group_by: ['hour' as const], metrics: ['impressions' as const], [`filter[${of}]`]: id };
  const report = await readReport(page, asked, () => true, MAX_HOURLY_COURSE_DAYS * HOURS_PER_DAY);
  if (!report?.ok) return undefined;
  return report.value.rows.map((row) => {
    const hour = String(row['hour']);
    return { day: hour.slice(0, 10), hour: Number(hour.slice(11, 13)), impressions: Number(row['impressions'] ?? 0) };
  });
};
