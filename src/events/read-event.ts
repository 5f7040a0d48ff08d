import { isObject } from '../base/narrow.ts';
import type { StoredEvent } from './postgres/event-store.ts';

/** 9999-12-31: Postgres and ISO 8601 write later days differently. */
export const MAX_DAY = 2_932_896;
const MAX_MS = (MAX_DAY + 1) * 86_400_000 - 1;

const AD_STRINGS = ['tokenId', 'placementId'] as const;
const AD_INTEGERS = ['publisherId', 'campaignId', 'lineItemId', 'creativeId'] as const;
const HIT_STRINGS = ['kind', 'eventType', 'invalidReason'] as const;

/**
 * The event in the fields of a stream entry (settle.lua).
 *
 * @throws when a field is missing or has another type than Postgres stores; ranges of integers and
 *   characters are for Postgres to check
 */
export const readEvent = (fields: readonly string[]): StoredEvent => {
  const value = (name: string) => fields[fields.indexOf(name) + 1] ?? '';
  const hit: unknown = JSON.parse(value('e'));
  const [atMs, billedMicros] = [Number(value('at')), Number(value('billed'))];
  const reason = fields.includes('reason') ? value('reason') : undefined;
  if (!isObject(hit) || !isObject(hit['ad'])) throw new Error('the event is not a hit');
  const { ad } = hit;
  const wrong = [
    ...AD_STRINGS.filter((name) => typeof ad[name] !== 'string'),
    ...AD_INTEGERS.filter((name) => !Number.isSafeInteger(ad[name])),
    ...HIT_STRINGS.filter((name) => typeof hit[name] !== 'string'),
    ...(isWithin(ad['day'], MAX_DAY) ? [] : ['day']),
    ...(isWithin(atMs, MAX_MS) ? [] : ['at']),
    ...(Number.isSafeInteger(billedMicros) ? [] : ['billed']),
  ];
  if (wrong.length > 0) throw new Error(`the event has no valid ${wrong.join(', ')}`);
  const event = hit as unknown as StoredEvent['hit'];
  return { hit: event, reason: (reason as StoredEvent['reason']) ?? event.invalidReason, atMs, billedMicros };
};

const isWithin = (value: unknown, max: number): boolean =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max;
