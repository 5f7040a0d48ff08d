import { under } from './under.ts';
import { MS_PER_QUARTER } from './utc-day.ts';

/** How far the clocks of a time zone are before UTC at a moment, in ms. @param zone its IANA name */
export type ZoneOffset = (zone: string, atMs: number) => number;

const MAX_KEPT = 10_000;

/**
 * Asking for an offset takes 3 µs, and the answer is kept: once for each zone and quarter of an hour. Clocks change at quarters of an hour:
 * Lord Howe by half an hour, at 15:30 UTC.
 */
export const createZoneOffset = (): ZoneOffset => {
  const formats = new Map<string, Intl.DateTimeFormat>();
  const known = new Map<string, number>();
  return (zone, atMs) => {
    if (zone === 'UTC') return 0;
    const startMs = Math.floor(atMs / MS_PER_QUARTER) * MS_PER_QUARTER;
    const key = `${zone} ${startMs}`;
    let offset = known.get(key);
    if (offset === undefined) {
      if (known.size >= MAX_KEPT) known.clear();
      known.set(key, (offset = offsetAt(under(formats, zone, formatOf), startMs)));
    }
    return offset;
  };
};

const formatOf = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en', {
    timeZone,
    ...{ hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
  });

const offsetAt = (format: Intl.DateTimeFormat, atMs: number): number => {
  const parts = Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute) - atMs;
};
