import type { DayPart, WeekDay } from '../../src/targeting/week-hours.ts';

export const DAY_LABELS: Readonly<Record<WeekDay, string>> = {
  ...{ mon: 'Mon', tue: 'Tue', wed: 'Wed', thu: 'Thu' },
  ...{ fri: 'Fri', sat: 'Sat', sun: 'Sun' },
};

/** A schedule in words: `Mon, Tue 08:00–20:00`. */
export const scheduleWords = (parts: readonly DayPart[]): string =>
  parts.map(({ days, from, to }) => `${days.map((day) => DAY_LABELS[day]).join(', ')} ${from}–${to}`).join('; ');
