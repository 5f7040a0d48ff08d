import { dateOfDay, dayOf } from '../../src/base/utc-day.ts';
import { keptPreferences, timeZoneOf } from './kept-preferences.ts';
import { locale } from './language.ts';
import { say, t } from './texts.ts';

/**
 * Every date that people read has one form, that of the reader's language: `Oct 3, 2026`. A moment is in the reader's time zone, with its
 * name: `Oct 3, 2026, 14:20 UTC`. Fields and files have ISO dates, in UTC.
 */
const timeZone = timeZoneOf(keptPreferences());
const inUtc = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
const WHOLE = inUtc({ day: 'numeric', month: 'short', year: 'numeric' });
const WITH_WEEKDAY = inUtc({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
const WITHOUT_YEAR = inUtc({ day: 'numeric', month: 'short' });
const WHOLE_HERE = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric', timeZone });
const TIME = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone, timeZoneName: 'short' });
const MONTH = inUtc({ month: 'long', year: 'numeric' });

/** A text that is no date stays as it is. */
const formatted = (format: Intl.DateTimeFormat, text: string): string => {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : format.format(at);
};

/** `Oct 3, 2026`, with the time if it is a moment and not a day: of a flight that does not begin or end with one. */
export const date = (text: string): string => (text.length === 10 ? formatted(WHOLE, text) : moment(text));

/** `Sat, Oct 3, 2026`. */
export const dateWithWeekday = (day: string): string => formatted(WITH_WEEKDAY, day);

/** `Oct 3`, at the axis of a chart. */
export const dayAndMonth = (day: string): string => formatted(WITHOUT_YEAR, day);

/** `October 2026`, of `2026-10`. */
export const monthAndYear = (month: string): string => formatted(MONTH, `${month}-01`);

/** `Oct 3, 2026, 14:20 UTC`. */
export const moment = (text: string): string => {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : `${WHOLE_HERE.format(at)}, ${time(text)}`;
};

/** `14:20 UTC`. */
export const time = (text: string): string => {
  const parts = TIME.formatToParts(new Date(text));
  const of = (wanted: Intl.DateTimeFormatPartTypes): string => parts.find(({ type }) => type === wanted)?.value ?? '';
  return `${of('hour')}:${of('minute')} ${of('timeZoneName')}`;
};

/** An hour of a report, in its own time zone: `Oct 3, 2026, 14:00`. */
export const hour = (text: string): string => `${date(text.slice(0, 10))}, ${text.slice(11, 16)}`;

/** A sentence of the service in the language of the page, with its days as people read them. */
export const withDates = (sentence: string): string =>
  say(sentence).replaceAll(/\b\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z)?\b/g, (text) => date(text));

export interface FlightDates {
  readonly start_date: string;
  readonly end_date: string;
}

export const flightDays = ({ start_date, end_date }: FlightDates): readonly [string, string] => [date(start_date), date(end_date)];

export const flight = (dates: FlightDates): string => flightDays(dates).join(' – ');

/** `in 3 days`. */
export const daysAhead = (days: number): string =>
  days <= 0 ? t`today` : days === 1 ? t`tomorrow` : t`in ${days.toLocaleString(locale)} days`;

/** The UTC date some days after today, as fields and addresses have it: `2026-10-03`. */
export const isoDateIn = (days: number): string => dateOfDay(dayOf(Date.now()) + days);
