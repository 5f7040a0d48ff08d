import { dayOf } from '../../../src/base/utc-day.ts';
import { HALF_HOURS_A_DAY, halfHoursIn, WEEK_DAYS, type DayPart } from '../../../src/targeting/week-hours.ts';

/** What was delivered on a day of a flight. */
export interface CourseDay {
  readonly day: string;
  readonly impressions: number;
}

export interface Flight {
  readonly start_date: string;
  readonly end_date: string;
  /** The hours of the week in which it runs; none: all. */
  readonly schedule?: readonly DayPart[];
}

/** A figure and how far it may be off: in four of five cases it is between low and high. */
export interface Projection {
  readonly low: number;
  readonly likely: number;
  readonly high: number;
}

export interface FlightCourse {
  readonly state: 'future' | 'running' | 'finished';
  /** Days since 1970, the first and the last of the flight. */
  readonly first: number;
  readonly last: number;
  readonly today: number;
  /** Impressions up to the end of each day from the first on; null: the day is to come. */
  readonly delivered: readonly (number | null)[];
  /** An even course to the goal, over the hours in which it runs; undefined: there is none. */
  readonly planned: readonly number[] | undefined;
  readonly total: number;
  /** By the end of the flight; undefined: it is over, has not begun, or nothing is known of its pace. */
  readonly projection: Projection | undefined;
  /** What is forecast by the end of each day from today on; undefined: nothing is. */
  readonly ahead: readonly (Projection & { readonly day: number })[] | undefined;
}

/** Of these, the mean and how much days differ say what the days to come bring. */
const DAYS_OF_PACE = 7;
/** The last days say little about a flight that goes on for longer. */
const MAX_DAYS_AHEAD = 366;
/** Four of five values of a normal distribution are within so many standard deviations. */
const FOUR_OF_FIVE = 1.28;

/**
 * The course of a flight. The days to come are projected by the last full ones: by their mean, and by their spread, which grows with
 * the root of the days that are left.
 *
 * @param days in any order; those that are absent had nothing
 * @param goal impressions over the flight, at which delivery stops; null: none
 */
export const flightCourse = (flight: Flight, days: readonly CourseDay[], goal: number | null, today: number): FlightCourse => {
  const [first, last] = [dayNumber(flight.start_date), dayNumber(flight.end_date)];
  const state = today < first ? 'future' : today > last ? 'finished' : 'running';
  const byDay = new Map(days.map(({ day, impressions }) => [dayNumber(day), impressions]));
  const length = last - first + 1;
  const of = (day: number): number => byDay.get(day) ?? 0;
  let sum = 0;
  const delivered = Array.from({ length }, (_, i) => (first + i > today ? null : (sum += of(first + i))));
  const planned = goal === null ? undefined : evenCourse(goal, first, length, flight.schedule ?? []);
  return { ...{ state, first, last, today, delivered, planned, total: sum }, projection: projected(), ahead: undefined };

  function projected(): Projection | undefined {
    // The day that runs is not a full one.
    const full = Array.from({ length: Math.min(DAYS_OF_PACE, today - first) }, (_, i) => of(today - 1 - i));
    if (state !== 'running' || full.length === 0 || last - today > MAX_DAYS_AHEAD) return undefined;
    const mean = full.reduce((all, one) => all + one, 0) / full.length;
    const spread = Math.sqrt(full.reduce((all, one) => all + (one - mean) ** 2, 0) / full.length);
    const left = last - today;
    const likely = sum + Math.max(0, mean - of(today)) + mean * left;
    const off = FOUR_OF_FIVE * spread * Math.sqrt(left + 1);
    const bounded = (value: number): number => Math.round(Math.max(sum, goal === null ? value : Math.min(goal, value)));
    return { low: bounded(likely - off), likely: bounded(likely), high: bounded(likely + off) };
  }
};

/**
 * An even course to a goal: what is due by the end of each day of a flight, or of each hour. Each counts by the half hours
 * in which it runs.
 *
 * @param first day of it, since 1970
 * @param perDay 1: by day; 24: by hour
 */
export const evenCourse = (goal: number, first: number, length: number, schedule: readonly DayPart[], perDay = 1): readonly number[] => {
  const halves = HALF_HOURS_A_DAY / perDay;
  const weekLength = WEEK_DAYS.length * perDay;
  const ofWeek = Array.from({ length: weekLength }, () => 0);
  for (const half of halfHoursIn(schedule)) ofWeek[Math.floor(half / halves)]!++;
  const isAlways = schedule.length === 0;
  // 1970-01-01 was a Thursday.
  const begin = (first + WEEK_DAYS.indexOf('thu')) * perDay;
  const weights = Array.from({ length }, (_, i) => (isAlways ? 1 : ofWeek[(begin + i) % weekLength]!));
  const whole = weights.reduce((all, weight) => all + weight, 0);
  let sum = 0;
  return weights.map((weight, i) => (whole === 0 ? (goal * (i + 1)) / length : (goal * (sum += weight)) / whole));
};

const dayNumber = (date: string): number => dayOf(Date.parse(date.slice(0, 10)));
