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

/** Stores the events of stream entries, few of them in one transaction with those of other shards. */
export interface StoreEntries {
  /**
   * @param alone not with the events of other shards, which would be refused with them
   * @returns the number of events
   */
  store(shard: number, entries: readonly StreamEntry[], alone: boolean): Promise<number>;
  /** Stores what waits for other shards. */
  hurry(): void;
}

/** Events of one statement. */
export const MAX_EVENTS = 1_000;

interface ReadEvent {
  readonly entryId: string;
  readonly fields: readonly string[];
  readonly event: StoredEvent;
}

export const createStoreEntries = ({ store, bury, waitMs, enough }: StoreEntriesOptions): StoreEntries => {
  const gathered = gatherBatches<StoredEvent>((events) => store.append(events), {
    ...{ waitMs, enough },
    isRefusal: (fault) => lastingRefusal(fault) !== undefined,
  });

  /** An event that cannot be read becomes a dead event. */
  const readEvents = async (shard: number, [entryId, fields]: StreamEntry): Promise<readonly ReadEvent[]> => {
    const events: ReadEvent[] = [];
    for (const own of fields === null ? [] : splitEntry(fields)) {
      try {
        events.push({ entryId, fields: own, event: readEvent(own) });
      } catch (fault) {
        await bury({ source: 'events', shard, entryId, fields: spellOut(own), sqlState: null, reason: (fault as Error).message });
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
    hurry: gathered.flush,
    store: async (shard, entries, alone) => {
      let count = 0;
      let batch: ReadEvent[] = [];
      for (const entry of entries) {
        const events = await readEvents(shard, entry);
        count += events.length;
        if (batch.length + events.length > MAX_EVENTS) {
          await append(shard, batch, alone);
          batch = [];
        }
        batch.push(...events);
      }
      await append(shard, batch, alone);
      return count;
    },
  };
};
