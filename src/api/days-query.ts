import { dateOfDay, dayOf } from '../base/utc-day.ts';
import { dayQuery } from './parameters.ts';
import { refuse, type Refused } from './route.ts';

export interface Period {
  /** Up to `to`, when there is no `from`. */
  readonly defaultDays: number;
  readonly maxDays: number;
}

/** Days, YYYY-MM-DD, both included. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** `from` and `to`: days, both included. */
export const daysQuery = (from: string) => ({ from: dayQuery(from), to: dayQuery('Last UTC day; by default today') });

type ReadDays = { readonly ok: true; readonly days: Days } | { readonly ok: false; readonly refused: Refused };

/**
 * The days of a query: by default the last ones up to today.
 *
 * @param today its number (utc-day.ts)
 */
export const readDays = (
  { from, to }: { readonly [Name in keyof Days]: Days[Name] | undefined },
  today: number,
  { defaultDays, maxDays }: Period,
): ReadDays => {
  const last = to === undefined ? today : dayOf(Date.parse(to));
  const first = from === undefined ? last - (defaultDays - 1) : dayOf(Date.parse(from));
  if (first <= last && last - first <= maxDays) return { ok: true, days: { from: dateOfDay(first), to: dateOfDay(last) } };
  return { ok: false, refused: refuse('invalid_request', `from must not be after to, nor more than ${maxDays} days before it.`) };
};
