import { dateOfDay, dayOf } from '../base/utc-day.ts';
import { problem, type Problem } from '../http/problems/problem.ts';

export interface Period {
  /** Up to `to`, when there is no `from`. */
  readonly defaultDays: number;
  readonly maxDays: number;
}

type ReadDays = { readonly ok: true; readonly from: string; readonly to: string } | { readonly ok: false; readonly problem: Problem };

/**
 * `from` and `to` of a query: UTC days, both included. By default the last days up to today.
 *
 * @param today its number (utc-day.ts)
 */
export const readDays = (search: URLSearchParams, today: number, { defaultDays, maxDays }: Period): ReadDays => {
  const to = search.get('to');
  const from = search.get('from');
  const last = to === null || to === '' ? today : readDay(to);
  const first = from === null || from === '' ? (last ?? today) - (defaultDays - 1) : readDay(from);
  if (first !== undefined && last !== undefined && first <= last && last - first <= maxDays)
    return { ok: true, from: dateOfDay(first), to: dateOfDay(last) };
  const detail = `from and to must be days (YYYY-MM-DD), from not after to, at most ${maxDays} days apart.`;
  return { ok: false, problem: problem('invalid_request', detail) };
};

const readDay = (text: string): number | undefined => {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? dayOf(Date.parse(text)) : Number.NaN;
  return Number.isFinite(day) && dateOfDay(day) === text ? day : undefined;
};
