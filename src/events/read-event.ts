import { isUpTo, MAX_MS, readHit } from '../ledger/read-hit.ts';
import type { StoredEvent } from './postgres/event-store.ts';

/**
 * The event in the fields of a stream entry (settle.lua).
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
