import { dayOf, MS_PER_DAY, MS_PER_HOUR } from '../src/base/utc-day.ts';
import type { StoredEvent } from '../src/events/postgres/stored-event.ts';
import { packSize } from '../src/ledger/ad-size.ts';
import type { HitKind, HitState } from '../src/ledger/hit.ts';
import type { Booking } from './book.ts';
import type { Chance } from './chance.ts';

/** A booking and where its publisher is. */
export interface Delivered extends Booking {
  readonly timeZone: string;
}

const COUNTRIES = ['DE', 'FR', 'US', null] as const;
const REGIONS = { DE: 'DE-BE', FR: undefined, US: 'US-CA' } as const;
const DEVICES = ['desktop', 'mobile', 'tablet', null] as const;
const BROWSERS = ['Chrome', 'Firefox', 'Safari', undefined] as const;
const SIZES = [packSize(300, 250), packSize(320, 50), undefined] as const;
const EVENT_TYPES = ['viewable', 'like', 'start', 'firstQuartile', 'complete', 'skip', 'error_303', 'error_400'] as const;
const REASONS: readonly HitState[] = ['', '', '', '', '', 'spider', 'data_center', 'provisional'];

export interface StoredEventsOptions {
  /** The number of the first one: its ad has a token of this number. */
  readonly first: number;
  readonly count: number;
  readonly days: number;
  readonly nowMs: number;
  readonly chance: Chance;
}

/** The day of a moment in a zone, counted from 1970-01-01. */
const dayInZone = (timeZone: string): ((atMs: number) => number) => {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return (atMs) => dayOf(Date.parse(format.format(atMs)));
};

/**
 * Hits of these bookings in some days before `nowMs`, of every kind, state, place, device and size: no two are of one ad, and what is under
 * judgement is a click.
 */
export const storedEvents = (
  bookings: readonly Delivered[],
  { first, count, days, nowMs, chance }: StoredEventsOptions,
): readonly StoredEvent[] => {
  const dayIn = new Map(bookings.map(({ publisherId, timeZone }) => [publisherId, dayInZone(timeZone)]));
  const oneOf = <T>(values: readonly T[]): T => values[Math.floor(chance() * values.length)]!;
  return Array.from({ length: count }, (_, n): StoredEvent => {
    const { publisherId, campaignId, lineItemIds, creativeIds, placementId } = oneOf(bookings);
    const nth = Math.floor(chance() * lineItemIds.length);
    const kind = oneOf<HitKind>(['impression', 'impression', 'impression', 'click', 'event', 'event']);
    const reason = oneOf(REASONS);
    const state: HitState = reason === 'provisional' && kind !== 'click' ? '' : reason;
    const atMs = Math.floor(nowMs - chance() * days * MS_PER_DAY);
    const country = oneOf(COUNTRIES);
    const ad = {
      ...{ tokenId: `report-${first + n}`, publisherId, campaignId, lineItemId: lineItemIds[nth]!, creativeId: creativeIds[nth]! },
      ...{ placementId: chance() < 0.8 ? placementId : `old, "${placementId}"`, size: oneOf(SIZES), billsOn: 'impression' as const },
      // Some were selected before midnight.
      ...{ priceMicros: 1_000, day: dayIn.get(publisherId)!(atMs - (chance() < 0.1 ? 2 * MS_PER_HOUR : 0)) },
      ...{ holdEndMs: 0, tokenExpS: 0, servedAtMs: 0, userHash: null, billingNotice: false },
    };
    return {
      hit: {
        ...{
          ad,
          kind,
          eventType: kind === 'event' ? oneOf(EVENT_TYPES) : '',
          atMs,
          country,
          device: oneOf(DEVICES),
          browser: oneOf(BROWSERS),
        },
        ...{
          region: country === null ? undefined : REGIONS[country],
          invalidReason: state === 'spider' || state === 'data_center' ? state : '',
        },
      },
      ...{ reason: state, atMs, billedMicros: state === '' && kind === 'impression' ? 1 + Math.floor(chance() * 5_000) : 0 },
    };
  });
};
