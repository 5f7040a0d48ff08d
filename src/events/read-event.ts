import { isUpTo, MAX_MS, readHit } from '../ledger/read-hit.ts';
import type { StoredEvent } from './postgres/event-store.ts';

/**
 * The fields of each event in those of a stream entry: a call of the ledger appends one entry with all
 * hits that it settled (ledger/lua/events.lua). The name of an event's first field is `e`.
 */
export const splitEntry = (fields: readonly string[]): readonly (readonly string[])[] => {
  const events: (readonly string[])[] = [];
  let from = 0;
  for (let at = 2; at < fields.length; at += 2) {
    if (fields[at] !== 'e') continue;
    events.push(fields.slice(from, at));
    from = at;
  }
  events.push(fields.slice(from));
  return events;
};

/**
 * The event in its fields (splitEntry).
 *
 * @throws when a field is missing or has another type than Postgres stores
 */
export const readEvent = (fields: readonly string[]): StoredEvent => {
  const value = (name: string) => fields[fields.indexOf(name) + 1] ?? '';
  const hit = readHit(JSON.parse(value('e')));
  const [atMs, billedMicros] = [Number(value('at')), Number(value('billed'))];
  const wrong = [...(isUpTo(atMs, MAX_MS) ? [] : ['at']), ...(Number.isSafeInteger(billedMicros) ? [] : ['billed'])];
  if (wrong.length > 0) throw new Error(`the event has no valid ${wrong.join(', ')}`);
  const reason = fields.includes('reason') ? (value('reason') as StoredEvent['reason']) : hit.invalidReason;
  return { hit, reason, atMs, billedMicros };
};
