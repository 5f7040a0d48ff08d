import type { Knex } from 'knex';
import { createDeadEvents } from './postgres/dead-events.ts';
import { rowStates } from './postgres/event-rows.ts';
import { isFinalClick, type StoredEvent } from './postgres/stored-event.ts';
import { eventIn, splitEntry } from './read-event.ts';

/** With more of them, books are not compared. */
const MAX_DEAD_EVENTS = 5_000;

/** An event that is not stored as it is. */
export interface UnstoredEvent extends StoredEvent {
  /** Of a final click: its row says that it is under judgement. */
  readonly hasProvisionalRow: boolean;
}

/**
 * The events that Redis has counted and that have no row, or one that they will change: those of the
 * stream's entries, and dead events. undefined: there are too many dead events.
 *
 * @param trx sees one state of the database
 */
export const unstoredEvents = async (
  trx: Knex,
  entries: readonly (readonly string[])[],
  isWanted: (event: StoredEvent) => boolean,
): Promise<readonly UnstoredEvent[] | undefined> => {
  const dead = await createDeadEvents({ knex: trx }).readEvents(MAX_DEAD_EVENTS);
  if (dead.length === MAX_DEAD_EVENTS) return undefined;
  // One that cannot be read becomes a dead event; it is in no account that could be named.
  const candidates = [...entries.flatMap(splitEntry), ...dead.map(({ fields }) => fields)].flatMap(eventIn);
  const events = uniqueEvents(candidates.filter(isWanted));
  const states = await rowStates(
    trx,
    events.map(({ hit }) => hit),
  );
  return events.flatMap((event, i): UnstoredEvent[] => {
    const state = states[i];
    const isStored = state === 'final' || (state === 'provisional' && !isFinalClick(event));
    return isStored ? [] : [{ ...event, hasProvisionalRow: state === 'provisional' }];
  });
};

/** A dead event is still in the stream until its entry is deleted. Of a provisional click and its judgement, the later counts. */
const uniqueEvents = (events: readonly StoredEvent[]): readonly StoredEvent[] => [
  ...new Map(
    events.map((event) => [
      `${event.hit.ad.tokenId} ${event.hit.kind} ${event.hit.eventType} ${event.hit.invalidReason === '' ? '' : 'screened'}`,
      event,
    ]),
  ).values(),
];
