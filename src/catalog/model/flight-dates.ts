import { MS_PER_DAY } from '../../base/utc-day.ts';
import type { Flight } from './entities.ts';

/**
 * Flight dates as people write them: RFC 3339 `full-date` or `date-time`. A bare start date means the beginning of that UTC day, a bare end
 * date means through the end of it; so the stored, exclusive end is the midnight after, and shows as the date before it.
 */
const SHAPE = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?(?:[Zz]|([+-])(\d{2}):(\d{2})))?$/;

/** Epoch milliseconds of the start, or undefined when the text is no date. */
export const parseStartDate = (text: string): number | undefined => parse(text)?.atMs;

/** Epoch milliseconds of the exclusive end, or undefined when the text is no date. */
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
  readonly bare: boolean;
}

/** A catalog has few distinct dates and asks about each several times per row; remembering them saves a tenth of a large load. */
const remembered = new Map<string, ParsedDate | undefined>();
const REMEMBERED = 4096;

const parse = (text: string): ParsedDate | undefined => {
  if (remembered.has(text)) return remembered.get(text);
  if (remembered.size >= REMEMBERED) remembered.clear();
  const parsed = parseShape(text);
  // Long texts are no dates, and not worth their memory.
  if (text.length < 64) remembered.set(text, parsed);
  return parsed;
};

const parseShape = (text: string): ParsedDate | undefined => {
  const match = SHAPE.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const midnight = Date.UTC(year, month - 1, day);
  // Date.UTC carries the 30th of February over into March, and takes the years 0 to 99 for the last century's.
  const date = new Date(midnight);
  if (date.getUTCFullYear() !== year || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const [offsetHour, offsetMinute] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return undefined;
  const fractionMs = Math.trunc(Number(match[7] ?? 0) * 1000);
  const offsetMs = (match[8] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute) * 60_000;
  return { atMs: midnight + ((hour * 60 + minute) * 60 + second) * 1000 + fractionMs - offsetMs, bare: match[4] === undefined };
};
