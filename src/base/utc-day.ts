export const MS_PER_MINUTE = 60_000;
/** The local hours of every time zone begin with a quarter of an hour in UTC, and its clocks change at one. */
export const MS_PER_QUARTER = 15 * MS_PER_MINUTE;
export const MS_PER_HOUR = 60 * MS_PER_MINUTE;
export const MS_PER_DAY = 24 * MS_PER_HOUR;
export const SECONDS_PER_DAY = MS_PER_DAY / 1000;
export const SECONDS_PER_HOUR = MS_PER_HOUR / 1000;
export const MINUTES_PER_DAY = MS_PER_DAY / MS_PER_MINUTE;

/**
 * Lifetime of Redis keys that are renewed while they are in use: a month and a few days, so that a
 * publisher who pauses for a month finds its state unchanged.
 */
export const IDLE_KEY_TTL_MS = 35 * MS_PER_DAY;

/** The number of a moment's UTC day, counted from 1970-01-01. */
export const dayOf = (atMs: number): number => Math.floor(atMs / MS_PER_DAY);

/** The date of a UTC day by its number: `2026-11-20`. */
export const dateOfDay = (day: number): string => {
  // Asked for each event twice, mostly for the same day.
  if (day !== last.day) last = { day, date: new Date(day * MS_PER_DAY).toISOString().slice(0, 10) };
  return last.date;
};
let last = { day: NaN, date: '' };
