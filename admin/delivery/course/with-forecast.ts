import { dayOf } from '../../../src/base/utc-day.ts';
import type { FlightCourse } from './flight-course.ts';

interface Range {
  readonly p10: number;
  readonly p50: number;
  readonly p90: number;
}

/** What is expected from now on: in all, and on each day. */
export interface ForecastDays extends Range {
  readonly by_day: readonly { readonly day: string; readonly p50: number }[];
}

/**
 * A course with what is forecast from today's sum on. The range of a sum is narrower than the sum of the days' ranges: each day has
 * its part of the range of all.
 */
export const withForecast = (course: FlightCourse, forecast: ForecastDays | undefined): FlightCourse => {
  if (!forecast || course.state === 'finished') return course;
  const { first, last, today, total } = course;
  const [below, above] = forecast.p50 > 0 ? [forecast.p10 / forecast.p50, forecast.p90 / forecast.p50] : [1, 1];
  let sum = 0;
  const ahead = forecast.by_day.flatMap(({ day, p50 }) => {
    const number = dayOf(Date.parse(day));
    sum += p50;
    const of = (part: number): number => Math.round(total + sum * part);
    return number < Math.max(first, today) || number > last ? [] : [{ day: number, low: of(below), likely: of(1), high: of(above) }];
  });
  return ahead.length > 0 ? { ...course, ahead } : course;
};
