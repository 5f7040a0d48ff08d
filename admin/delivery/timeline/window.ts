import { MS_PER_DAY } from '../../../src/base/utc-day.ts';
import { locale } from '../../words/language.ts';

/** The time that a timeline shows. */
export const SCALES = ['days', 'weeks', 'months'] as const;
export type Scale = (typeof SCALES)[number];

/** The part of time that is shown, in epoch ms of UTC. */
export interface TimeWindow {
  readonly fromMs: number;
  readonly toMs: number;
  /** Where its columns begin, with their labels; `isStrong`: a week or a year begins. */
  readonly columns: readonly { readonly atMs: number; readonly label: string; readonly isStrong: boolean }[];
}

const COLUMNS: Readonly<Record<Scale, number>> = { days: 28, weeks: 16, months: 12 };
/** Columns that are shown before the one that a window begins at, so that today is not at the edge. */
const BEFORE: Readonly<Record<Scale, number>> = { days: 7, weeks: 4, months: 3 };

const dayMonth = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const monthYear = new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric', timeZone: 'UTC' });
const monthOnly = new Intl.DateTimeFormat(locale, { month: 'short', timeZone: 'UTC' });
const dayOnly = new Intl.DateTimeFormat(locale, { day: 'numeric', timeZone: 'UTC' });

/** The beginning of the column that `atMs` is in, `columns` later. */
const columnAt = (scale: Scale, atMs: number, columns: number): number => {
  const at = new Date(atMs);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  if (scale === 'months') return Date.UTC(year, month + columns, 1);
  const monday = scale === 'weeks' ? (at.getUTCDay() + 6) % 7 : 0;
  return Date.UTC(year, month, day - monday) + columns * MS_PER_DAY * (scale === 'weeks' ? 7 : 1);
};

/** The window around a moment. */
export const windowAround = (scale: Scale, atMs: number): TimeWindow => {
  const fromMs = columnAt(scale, atMs, -BEFORE[scale]);
  const columns = Array.from({ length: COLUMNS[scale] }, (_, i) => {
    const columnMs = columnAt(scale, fromMs, i);
    const at = new Date(columnMs);
    const begins = { days: at.getUTCDay() === 1, weeks: at.getUTCDate() <= 7, months: at.getUTCMonth() === 0 }[scale];
    const words = { days: i === 0 || begins ? dayMonth : dayOnly, weeks: dayMonth, months: i === 0 || begins ? monthYear : monthOnly }[
      scale
    ];
    return { atMs: columnMs, label: words.format(at), isStrong: begins };
  });
  return { fromMs, toMs: columnAt(scale, fromMs, COLUMNS[scale]), columns };
};

/** The moment whose window is half a window later (1) or earlier (-1). */
export const movedBy = (scale: Scale, atMs: number, direction: 1 | -1): number => columnAt(scale, atMs, (direction * COLUMNS[scale]) / 2);

/** How far a moment is from the left edge, in percent; outside of the window, at its edge. */
export const percentAt = ({ fromMs, toMs }: TimeWindow, atMs: number): number =>
  (100 * (Math.min(Math.max(atMs, fromMs), toMs) - fromMs)) / (toMs - fromMs);
