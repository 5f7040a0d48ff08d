import type { Fault } from '../../base/fault.ts';
import { isObject } from '../../base/narrow.ts';
import { MS_PER_DAY } from '../../base/utc-day.ts';
import { halfHourOf, halfHoursIn, HALF_HOURS_A_DAY, WEEK_DAYS, type DayPart } from '../../targeting/week-hours.ts';
import type { LineItemRecord } from '../entities/line-item.ts';
import { parseEndDate, parseStartDate } from '../model/flight-dates.ts';
import type { Given } from './shape-record.ts';

/** A schedule whose parts end before they begin, overlap, or name no hour of the flight. */
export const scheduleFaults = ({ schedule, start_date, end_date }: Given<LineItemRecord>): readonly Fault[] => {
  if (!Array.isArray(schedule)) return [];
  const parts = schedule.flatMap((part: unknown, i) => (isDayPart(part) ? [{ part, pointer: `/schedule/${i}` }] : []));
  const turned = parts.flatMap(({ part: { from, to }, pointer }) =>
    halfHourOf(from)! < halfHourOf(to)!
      ? []
      : [{ pointer: `${pointer}/to`, detail: 'must be after from: hours past midnight are a part of the next day, from 00:00' }],
  );
  if (turned.length > 0) return turned;
  const taken = new Map<number, number>();
  const overlapping = parts.flatMap(({ part, pointer }, i) => {
    const halves = halfHoursIn([part]);
    const first = halves.find((half) => taken.has(half));
    for (const half of halves) if (!taken.has(half)) taken.set(half, i);
    return first === undefined
      ? []
      : [{ pointer, detail: `overlaps part ${taken.get(first)! + 1} on ${dayOf(first)}: an hour is in one part only` }];
  });
  if (overlapping.length > 0) return overlapping;
  const days = daysOfFlight(start_date, end_date);
  return days !== undefined && taken.size > 0 && ![...taken.keys()].some((half) => days.has(dayOf(half)))
    ? [
        {
          pointer: '/schedule',
          detail: `names no day of the flight, which has ${[...days].join(', ')}: choose one of these, or another flight`,
        },
      ]
    : [];
};

const dayOf = (half: number): string => WEEK_DAYS[Math.floor(half / HALF_HOURS_A_DAY)]!;

/** What the schema accepts. */
const isDayPart = (part: unknown): part is DayPart =>
  isObject(part) &&
  Array.isArray(part['days']) &&
  part['days'].every((day) => (WEEK_DAYS as readonly unknown[]).includes(day)) &&
  [part['from'], part['to']].every((time) => typeof time === 'string' && halfHourOf(time) !== undefined);

/** The days of the week of a flight of less than a week, in any time zone; undefined: all of them. */
const daysOfFlight = (start: unknown, end: unknown): ReadonlySet<string> | undefined => {
  const startMs = typeof start === 'string' ? parseStartDate(start) : undefined;
  const endMs = typeof end === 'string' ? parseEndDate(end) : undefined;
  if (startMs === undefined || endMs === undefined || endMs - startMs >= 5 * MS_PER_DAY) return undefined;
  // Clocks are up to 14 hours before UTC, and 12 behind.
  const [first, last] = [Math.floor(startMs / MS_PER_DAY - 0.5), Math.floor((endMs - 1) / MS_PER_DAY + 14 / 24)];
  return new Set(Array.from({ length: last - first + 1 }, (_, i) => WEEK_DAYS[(first + i + 3) % 7]!));
};
