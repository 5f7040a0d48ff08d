import type { Request } from 'express';
import { MS_PER_MINUTE } from '../../base/utc-day.ts';
import { isObject } from '../../base/narrow.ts';
import { BROWSER_BRANDS, CONNECTION_NAMES, OS_BRANDS } from '../../context/program-names.ts';
import type { Consent } from '../../context/consent/consent.ts';
import type { OfferedBy } from '../../targeting/targeting-query.ts';
import type { AskedKind } from '../../targeting/targeting-rules.ts';
import { languagesOf } from '../../targeting/languages-of.ts';
import { halfHourAt, hoursOffered } from '../../targeting/week-hours.ts';
import { urlPrefixesOf } from '../../targeting/url-prefixes.ts';
import type { Asker } from '../request/request-context.ts';
import type { WireAdRequest } from './ad-request-schema.ts';
import { at, listAt, textAt } from './auction-schema.ts';

/** Lists of segments of a request that are read, and segments of all of them together. */
const MAX_SEGMENTS = 100;
const MAX_SEGMENT_LENGTH = 128;

/** A request, and the clock of its publisher. */
export interface OfferingRequest extends Pick<Asker, 'visitor'>, Pick<Consent, 'profile'> {
  readonly wire: WireAdRequest;
  readonly req: Request;
  readonly atMs: number;
  /** How far the publisher's clock is before UTC. */
  readonly offsetMs: (atMs: number) => number;
}

/**
 * Reads from a request what line items may target beside place, device and key-values. Fields of the body take
 * precedence over headers. Nothing is read before a line item that could serve asks for it.
 */
export const createOfferedBy =
  ({ wire, req, visitor, profile, atMs, offsetMs }: OfferingRequest): OfferedBy =>
  (kind: AskedKind) => {
    switch (kind) {
      case 'languages':
        return languagesOf(languageIn(wire, req));
      case 'browsers':
        return someOf(named(BROWSER_BRANDS, brandsIn(wire)) ?? visitor.browser);
      case 'os':
        return someOf(
          named(OS_BRANDS, [at(deviceOf(wire), 'sua', 'platform', 'brand')]) ?? named(OS_BRANDS, [at(deviceOf(wire), 'os')]) ?? visitor.os,
        );
      case 'connection':
        return CONNECTION_NAMES[Number(at(deviceOf(wire), 'connectiontype'))] ?? [];
      case 'urls':
        return addressesIn(at(wire.site, 'page') ?? req.get('referer'));
      case 'referrers':
        return addressesIn(at(wire.site, 'ref'));
      case 'schedule':
        return [
          ...hoursOffered('publisher', halfHourAt(atMs, offsetMs(atMs))),
          ...hoursOffered('visitor', halfHourAt(atMs, visitorOffset(wire) ?? offsetMs(atMs))),
        ];
      case 'audiences':
        return profile === null ? segmentsIn(wire) : [];
    }
  };

const MAX_OFFSET_MINUTES = 14 * 60;

/** OpenRTB's `device.geo.utcoffset`, in ms. */
const visitorOffset = (wire: WireAdRequest): number | undefined => {
  const minutes = at(deviceOf(wire), 'geo', 'utcoffset');
  return Number.isInteger(minutes) && Math.abs(minutes as number) <= MAX_OFFSET_MINUTES ? (minutes as number) * MS_PER_MINUTE : undefined;
};

const deviceOf = ({ device }: WireAdRequest): unknown => device?.sent ?? device;

/** OpenRTB's language of the device as a tag, else as ISO 639-1; else the first that the browser prefers. */
const languageIn = (wire: WireAdRequest, req: Request): string =>
  textAt(deviceOf(wire), 'langb') ?? textAt(deviceOf(wire), 'language') ?? /^[^,;]*/.exec(req.get('accept-language') ?? '')?.[0] ?? '';

const brandsIn = (wire: WireAdRequest): readonly unknown[] =>
  listAt(deviceOf(wire), 'sua', 'browsers')
    .slice(0, 10)
    .map((browser) => at(browser, 'brand'));

/** The first of the brands that has a name here. */
const named = <T extends string>(names: ReadonlyMap<string, T>, brands: readonly unknown[]): T | undefined =>
  brands.flatMap((brand) => (typeof brand === 'string' ? (names.get(brand.toLowerCase()) ?? []) : []))[0];

const someOf = (value: string | null | undefined): readonly string[] => (value === null || value === undefined ? [] : [value]);

const addressesIn = (url: unknown): readonly string[] => (typeof url === 'string' ? urlPrefixesOf(url) : []);

/** Of OpenRTB `user.data[].segment[]`, the ids. */
const segmentsIn = (wire: WireAdRequest): readonly string[] =>
  dataOf(wire)
    .slice(0, MAX_SEGMENTS)
    .flatMap((data) => listAt(data, 'segment').slice(0, MAX_SEGMENTS))
    .flatMap((segment) => segmentId(isObject(segment) ? segment['id'] : undefined))
    .slice(0, MAX_SEGMENTS);

const segmentId = (id: unknown): readonly string[] =>
  (typeof id === 'string' && id !== '' && id.length <= MAX_SEGMENT_LENGTH) || typeof id === 'number' ? [String(id)] : [];

const dataOf = ({ user }: WireAdRequest): readonly unknown[] => (Array.isArray(user.data) ? (user.data as readonly unknown[]) : []);

/** Whether the request says to which audiences the visitor belongs. */
export const hasSegments = (wire: WireAdRequest): boolean => dataOf(wire).length > 0;
