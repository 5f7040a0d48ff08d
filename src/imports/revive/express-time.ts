import { MS_PER_DAY } from '../../base/utc-day.ts';
import { createZoneOffset } from '../../base/zone-offset.ts';
import { isTimeZone } from '../../catalog/checks/formats.ts';
import { always, contrary, type Expressed } from './rule-terms.ts';
import { halvesOfDays, halvesOfHours } from './week-of-hours.ts';

/** `1,2,3@Europe/Berlin`; without a zone it is UTC. */
const zoned = (data: string): { readonly text: string; readonly zone: string } | undefined => {
  const [text = '', zone = 'UTC'] = data.split('@');
  return isTimeZone(zone) ? { text, zone } : undefined;
};

const numbersIn = (text: string, below: number): readonly number[] =>
  text
    .split(',')
    .filter((item) => /^\s*\d+\s*$/.test(item))
    .map(Number)
    .filter((number) => number < below);

const week =
  (below: number, halvesOf: (numbers: readonly number[]) => readonly number[]) =>
  (data: string, comparison: string): Expressed | undefined => {
    const given = zoned(data);
    if (!given) return undefined;
    if (given.text === '') return { terms: always };
    const halves = halvesOf(numbersIn(given.text, below));
    if (halves.length === 0) return undefined;
    const isIncluded = comparison === '=~' || comparison === '==';
    return { terms: [[{ field: 'hours', zone: given.zone, halves: isIncluded ? halves : contrary(halves) }]] };
  };

/** When the clocks of a zone begin a day. */
const startOf = (zone: string, day: number): number => {
  const offset = createZoneOffset();
  const guessMs = day - offset(zone, day);
  return day - offset(zone, guessMs);
};

/** `20260131@Europe/Berlin` */
const date = (data: string, comparison: string): Expressed | undefined => {
  const given = zoned(data);
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(given?.text ?? '') ?? [];
  if (!given || year === undefined) return data === '' ? { terms: always } : undefined;
  if (Number(year) === 0) return { terms: always };
  const atMs = Date.UTC(Number(year), Number(month) - 1, Number(day));
  const [fromMs, untilMs] = [startOf(given.zone, atMs), startOf(given.zone, atMs + MS_PER_DAY)];
  const span = {
    '==': [fromMs, untilMs],
    '>=': [fromMs, Infinity],
    '>': [untilMs, Infinity],
    '<=': [-Infinity, untilMs],
    '<': [-Infinity, fromMs],
  }[comparison];
  return span && { terms: [[{ field: 'flight', fromMs: span[0]!, untilMs: span[1]! }]] };
};

/** Revive's rules of time: days of the week from Sunday, hours, and dates. */
export const expressTime = { day: week(7, halvesOfDays), hour: week(24, halvesOfHours), date };
