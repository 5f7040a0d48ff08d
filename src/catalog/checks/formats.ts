import { parseUrl } from '../../base/parse-url.ts';
import { readAdsTxtRecord } from '../model/ads-txt-record.ts';
import { parseStartDate } from '../model/flight-dates.ts';
import { normalOrigin } from '../model/origins.ts';
import { MAX_SEGMENTS, urlPrefix } from '../../targeting/url-prefixes.ts';
import { halfHourOf } from '../../targeting/week-hours.ts';
import { isCountryCode } from './country-codes.ts';
import { isLanguageTag } from './language-tags.ts';

const isHttpUrl = (text: string): boolean => ['http:', 'https:'].includes(parseUrl(text)?.protocol ?? '');

/** A DNS name or an IP address, without scheme, port and path. */
const isHost = (text: string): boolean => /^[a-z0-9.:[\]-]+$/i.test(text) && parseUrl(`http://${text}/`)?.hostname === text.toLowerCase();

/** An address that mail is sent to: one mailbox, without a name, a comment or a line break. */
export const isEmail = (text: string): boolean => /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+\.[^\s@<>,;:"()[\]\\]+$/.test(text);

/** An IANA name that this Node knows. */
export const isTimeZone = (text: string): boolean => text === 'UTC' || Intl.supportedValuesOf('timeZone').includes(text);

/** A calendar day from the year 1 on, as Postgres has them. */
export const isDay = (text: string): boolean => {
  const date = /^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(text) : undefined;
  return date !== undefined && Number.isFinite(date.getTime()) && date.toISOString().startsWith(text);
};

/** Formats of our own, each with its test and with what a value must be. */
const FORMATS: Readonly<Record<string, { readonly test: (text: string) => boolean; readonly detail: string }>> = {
  date: { test: isDay, detail: 'must be a day such as 2026-11-20' },
  'flight-date': { test: (text) => parseStartDate(text) !== undefined, detail: 'must be an RFC 3339 date or date-time' },
  'date-time': {
    test: (text) => text.includes('T') && parseStartDate(text) !== undefined,
    detail: 'must be an RFC 3339 date-time, such as 2026-11-20T12:00:00Z',
  },
  'http-url': { test: isHttpUrl, detail: 'must be an http or https URL' },
  host: { test: isHost, detail: 'must be a host name, such as boots.example' },
  origin: {
    test: (text) => normalOrigin(text) !== undefined,
    detail: 'must be an http or https origin without a path, such as https://news.example or https://*.news.example',
  },
  currency: {
    test: (text) => Intl.supportedValuesOf('currency').includes(text),
    detail: 'must be an ISO 4217 currency code, such as EUR',
  },
  'header-name': { test: (text) => /^[\w!#$%&'*+.^`|~-]+$/.test(text), detail: 'must be a header name, such as Authorization' },
  'header-value': { test: (text) => /^[\x20-\x7e]+$/.test(text), detail: 'must be visible ASCII characters and spaces' },
  'ads-txt-record': {
    test: (text) => readAdsTxtRecord(text) !== undefined && !/[\r\n]/.test(text),
    detail: 'must be a record of ads.txt, such as exchange.example, 1234, RESELLER',
  },
  'time-zone': {
    test: isTimeZone,
    detail: 'must be the IANA name of a time zone, such as Europe/Berlin, or UTC',
  },
  email: { test: isEmail, detail: 'must be an e-mail address, such as sales@gazette.example' },
  'url-prefix': {
    test: (text) => urlPrefix(text) !== undefined,
    detail: `must be a host and the first segments of a path, at most ${MAX_SEGMENTS}, such as news.example/sport: without scheme, port, query and *`,
  },
  'half-hour': { test: (text) => halfHourOf(text) !== undefined, detail: 'must be a full or half hour, such as 08:30 or 24:00' },
  language: { test: isLanguageTag, detail: 'must be a language as BCP 47 writes it, such as de or pt-BR' },
  country: { test: isCountryCode, detail: 'must be an ISO 3166-1 alpha-2 country code' },
};
export const FORMAT_DETAILS = Object.fromEntries(Object.entries(FORMATS).map(([name, { detail }]) => [name, detail]));
export const FORMAT_TESTS = Object.fromEntries(Object.entries(FORMATS).map(([name, { test }]) => [name, test]));
