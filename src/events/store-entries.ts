import type { StreamEntry } from '../redis/stream-consumer.ts';
import { gatherBatches } from './gather-batches.ts';
import type { DeadEvent } from './postgres/dead-events.ts';
import type { EventStore } from './postgres/event-store.ts';
import type { StoredEvent } from './postgres/stored-event.ts';
import { readEvent, spellOut, splitEntry } from './read-event.ts';
import { lastingRefusal, storeEach, type Refusal } from './store-each.ts';

export interface StoreEntriesOptions {
  readonly store: Pick<EventStore, 'append'>;
  /** Stores an event that cannot be read, or that Postgres refused for a lasting reason. */
  readonly bury: (dead: DeadEvent) => Promise<void>;
  /** How long few events wait for those of other shards, in ms. */
  readonly waitMs: number;
  /** With so many events none waits any longer. */
  readonly enough: number;
}

/** About so many events are stored in one transaction at most. */
export const MAX_EVENTS = 1_000;

interface GivenEvent {
  readonly entryId: string;
  readonly fields: readonly string[];
}

interface ReadEvent extends GivenEvent {
  readonly event: StoredEvent;
}

/** Stores the events of stream entries, few of them in one transaction with those of other shards. */
export const createStoreEntries = ({ store, bury, waitMs, enough }: StoreEntriesOptions) => {
  const gathered = gatherBatches<StoredEvent>((events) => store.append(events), {
    ...{ waitMs, enough },
    isRefusal: (fault) => lastingRefusal(fault) !== undefined,
  });

  /** An event that cannot be read becomes a dead event. */
  const readEvents = async (shard: number, given: readonly GivenEvent[]): Promise<readonly ReadEvent[]> => {
    const events: ReadEvent[] = [];
    for (const { entryId, fields } of given) {
      try {
        events.push({ entryId, fields, event: readEvent(fields) });
      } catch (fault) {
        await bury({ source: 'events', shard, entryId, fields: spellOut(fields), sqlState: null, reason: (fault as Error).message });
      }
    }
    return events;
  };

  const append = (shard: number, events: readonly ReadEvent[], alone: boolean): Promise<void> =>
    storeEach(
      events,
      // The parts of a batch that was refused do not wait again.
      (batch) => (batch === events && !alone ? gathered.write : store.append)(batch.map(({ event }) => event)),
      ({ entryId, fields }, refusal: Refusal) => bury({ source: 'events', shard, entryId, fields: spellOut(fields), ...refusal }),
    );

  return {
    /** Stores what waits for other shards. */
    hurry: gathered.flush,
    /**
     * @param alone not with the events of other shards, which would be refused with them
     * @returns the number of events
     */
    store: async (shard: number, entries: readonly StreamEntry[], alone: boolean): Promise<number> => {
      const given = entries.flatMap(([entryId, fields]) => splitEntry(fields ?? []).map((own): GivenEvent => ({ entryId, fields: own })));
      // In equal parts: a small rest would take one more transaction, and wait for other shards.
      const size = Math.ceil(given.length / Math.max(Math.round(given.length / MAX_EVENTS), 1));
      for (let from = 0; from < given.length; from += size)
        await append(shard, await readEvents(shard, given.slice(from, from + size)), alone);
      return given.length;
    },
  };
};
