import { MS_PER_DAY, MS_PER_MINUTE } from '../../base/utc-day.ts';
import type { Flight } from './entities.ts';

/**
 * Flight dates: RFC 3339 `full-date` or `date-time`. A date alone means the beginning of that UTC
 * day as a start, and through the end of that day as an end. The stored end is exclusive, so it is
 * the midnight after, and is shown as the date before.
 */
const SHAPE = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?(?:[Zz]|([+-])(\d{2}):(\d{2})))?$/;

/** Epoch milliseconds of the start, or undefined when the text is not a date. */
export const parseStartDate = (text: string): number | undefined => parse(text)?.atMs;

/** Epoch milliseconds of the exclusive end, or undefined when the text is not a date. */
export const parseEndDate = (text: string): number | undefined => {
  const parsed = parse(text);
  return parsed && (parsed.bare ? parsed.atMs + MS_PER_DAY : parsed.atMs);
};

export const showStartDate = (startMs: number): string =>
  startMs % MS_PER_DAY === 0 ? new Date(startMs).toISOString().slice(0, 10) : new Date(startMs).toISOString();

export const showEndDate = (endMs: number): string =>
  endMs % MS_PER_DAY === 0 ? showStartDate(endMs - MS_PER_DAY) : new Date(endMs).toISOString();

/** The flight of a record that has been checked. */
export const flightOf = (record: { readonly start_date: string; readonly end_date: string }): Flight => ({
  startMs: parseStartDate(record.start_date) ?? Number.NaN,
  endMs: parseEndDate(record.end_date) ?? Number.NaN,
});

interface ParsedDate {
  readonly atMs: number;
  /** A date without a time. */
  readonly bare: boolean;
}

const parse = (text: string): ParsedDate | undefined => {
  const match = SHAPE.exec(text);
  if (match === null) return undefined;
  const part = (group: number): number => Number(match[group] ?? 0);
  const [year, month, day] = [part(1), part(2), part(3)];
  const midnight = Date.UTC(year, month - 1, day);
  // Date.UTC reads 30 February as 1 or 2 March, and the years 0 to 99 as 1900 to 1999.
  const date = new Date(midnight);
  if (date.getUTCFullYear() !== year || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const [hour, minute, second] = [part(4), part(5), part(6)];
  const [offsetHour, offsetMinute] = [part(9), part(10)];
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return undefined;
  const fractionMs = Math.trunc(part(7) * 1000);
  const offsetMs = (match[8] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute) * MS_PER_MINUTE;
  return { atMs: midnight + ((hour * 60 + minute) * 60 + second) * 1000 + fractionMs - offsetMs, bare: match[4] === undefined };
};
