import { hitOfText, namedHitText } from '../ledger/hit-text.ts';
import { isUpTo, MAX_MS } from '../ledger/read-hit.ts';
import type { StoredEvent } from './postgres/stored-event.ts';

/**
 * The fields of each event in those of a stream entry: a call of the ledger appends one entry with all
 * hits that it settled (ledger/lua/events.lua). The name of an event's first field is `e`.
 */
export const splitEntry = (fields: readonly string[]): readonly (readonly string[])[] => {
  if (fields.length === 0) return [];
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
  const hit = hitOfText(value('e'));
  const [atMs, billedMicros] = [Number(value('at')), Number(value('billed'))];
  const wrong = [...(isUpTo(atMs, MAX_MS) ? [] : ['at']), ...(Number.isSafeInteger(billedMicros) ? [] : ['billed'])];
  if (wrong.length > 0) throw new Error(`the event has no valid ${wrong.join(', ')}`);
  const reason = fields.includes('reason') ? (value('reason') as StoredEvent['reason']) : hit.invalidReason;
  return {
    ...{ hit, reason, atMs, billedMicros },
    ...(fields.includes('judged') && { isJudged: true }),
    ...(fields.includes('repeat') && { isRepeat: true }),
  };
};

/** The same; none when it cannot be read. */
export const eventIn = (fields: readonly string[]): readonly StoredEvent[] => {
  try {
    return [readEvent(fields)];
  } catch {
    return [];
  }
};

/**
 * The fields as a dead event keeps them: with the names of the hit's values, by which people correct it and
 * forgetSignalsOfDead finds what it takes out; as they are, if the hit is no JSON.
 */
export const spellOut = (fields: readonly string[]): readonly string[] => {
  const at = fields.indexOf('e') + 1;
  try {
    return fields.with(at, namedHitText(fields[at] ?? ''));
  } catch {
    return fields;
  }
};
