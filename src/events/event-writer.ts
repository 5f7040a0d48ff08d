import type { LedgerKeys } from '../ledger/ledger-keys.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import { createStreamConsumer, type StreamEntry } from '../redis/stream-consumer.ts';
import { isDataFault, type EventStore, type StoredEvent } from './postgres/event-store.ts';
import { createTallyWriter } from './tally-writer.ts';

/** The consumer group of the event streams. */
export const EVENT_GROUP = 'postgres';

export interface EventWriterOptions {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  readonly store: EventStore;
  /** This replica's name in the consumer group. */
  readonly consumer: string;
  readonly idleMs?: number;
  /**
   * An entry held by a consumer for this long is claimed: its replica has died, or Postgres refused
   * it.
   */
  readonly claimAfterMs?: number;
  /** Called for each pass that failed; its entries stay in the stream and are retried. */
  readonly onFailure: (fault: Error) => void;
  /** Called for each entry that can never be stored. */
  readonly onUnreadable: (shard: number, entryId: string) => void;
}

export interface EventWriter {
  start(): void;
  /**
   * Finishes the current pass, retries the entries that this replica still holds once, and leaves
   * each group in which it holds none.
   */
  stop(): Promise<void>;
}

const MAX_BATCH = 500;
/** Streams and tallies expire a month after the last replica stopped carrying them. */
const KEY_TTL_S = 35 * 86_400;
const RENEW_MS = 60_000;
/**
 * A replica reads about once a second. One that has not read for an hour and holds no entries has
 * stopped.
 */
const RETIRE_AFTER_MS = 3_600_000;

/**
 * Copies settled hits and tallies from Redis to Postgres. Every replica runs one.
 *
 * The consumer group divides the entries among the replicas. A replica retries the entries that it
 * failed to store before it reads more; another replica claims the entries of a dead one. An entry
 * is deleted from the stream only after its row is committed, and the row's unique key makes a
 * repeated delivery harmless: delivery is at least once, storage exactly once.
 */
export const createEventWriter = (options: EventWriterOptions): EventWriter => {
  const { redis, keys, store, consumer, idleMs = 200, claimAfterMs = 15_000, onFailure } = options;
  const shards = Array.from({ length: keys.shards }, (_, shard) => shard);
  let running: Promise<void> | undefined;
  let stopping = false;
  let wake: () => void = () => undefined;
  let renewedAtMs = 0;
  const group = createStreamConsumer({ redis, group: EVENT_GROUP, name: consumer, batch: MAX_BATCH, keyTtlS: KEY_TTL_S });
  const tallies = createTallyWriter({ redis, keys, store });
  /**
   * Shards whose last pass failed. Their entries are read first: they are assigned to this consumer
   * even if the reply was lost.
   */
  const unfinished = new Set<number>();

  const carryShard = async (shard: number, claim: boolean): Promise<number> => {
    const stream = keys.events(shard);
    const retry = unfinished.has(shard);
    try {
      const entries = claim ? await group.abandoned(stream, claimAfterMs) : await (retry ? group.unfinished(stream) : group.fresh(stream));
      if (entries.length > 0) await storeEntries(shard, stream, entries);
      else if (!claim) unfinished.delete(shard);
      return entries.length;
    } catch (fault) {
      unfinished.add(shard);
      throw fault;
    }
  };

  const storeEntries = async (shard: number, stream: string, entries: readonly StreamEntry[]): Promise<void> => {
    const events = new Map<string, StoredEvent>();
    for (const [id, fields] of entries) {
      if (fields === null) continue;
      const event = readEvent(fields);
      if (event) events.set(id, event);
      else options.onUnreadable(shard, id);
    }
    await appendAll(shard, events);
    await group.finish(
      stream,
      entries.map(([id]) => id),
    );
  };

  /** An entry that Postgres always rejects must not block the rest of its batch. */
  const appendAll = async (shard: number, events: ReadonlyMap<string, StoredEvent>): Promise<void> => {
    try {
      await store.append([...events.values()]);
    } catch (fault) {
      if (!isDataFault(fault)) throw fault;
      for (const [id, event] of events) {
        try {
          await store.append([event]);
        } catch (single) {
          if (!isDataFault(single)) throw single;
          options.onUnreadable(shard, id);
        }
      }
    }
  };

  const pass = async (claim: boolean): Promise<number> => {
    let moved = 0;
    let failed: Error | undefined;
    // A shard that fails (its cluster node is failing over) must not stop the others. An outage of
    // all is one failure.
    for (const result of await Promise.allSettled(shards.map((shard) => carryShard(shard, claim)))) {
      if (result.status === 'fulfilled') moved += result.value;
      else failed ??= result.reason as Error;
    }
    if (failed) onFailure(failed);
    return moved;
  };

  const handOver = async (): Promise<void> => {
    for (const shard of shards) unfinished.add(shard);
    await pass(false);
    await pass(false);
    await tallies.flush();
    for (const shard of shards) await group.leave(keys.events(shard));
  };

  const renewKeys = async (nowMs: number): Promise<void> => {
    if (nowMs - renewedAtMs < RENEW_MS) return;
    renewedAtMs = nowMs;
    for (const shard of shards) {
      for (const key of [keys.events(shard), keys.serves(shard), keys.eventTally(shard)]) await redis.expire(key, KEY_TTL_S);
      await group.retireOthers(keys.events(shard), RETIRE_AFTER_MS);
    }
  };

  const loop = async (): Promise<void> => {
    let claimedAtMs = 0;
    while (!stopping) {
      let moved = 0;
      try {
        const nowMs = Date.now();
        const claim = nowMs - claimedAtMs >= claimAfterMs / 3;
        if (claim) claimedAtMs = nowMs;
        if (claim) moved = await pass(true);
        // A full batch was claimed: claim the rest in the next turn.
        if (moved >= MAX_BATCH) claimedAtMs = 0;
        moved += await pass(false);
        await tallies.tick(nowMs);
        await renewKeys(nowMs);
      } catch (fault) {
        onFailure(fault as Error);
      }
      if (moved === 0 && !stopping) await new Promise<void>((resolve) => ((wake = resolve), setTimeout(resolve, idleMs)));
    }
    try {
      await handOver();
    } catch (fault) {
      onFailure(fault as Error);
    }
  };

  return {
    start: () => {
      running ??= loop();
    },
    stop: async () => {
      stopping = true;
      wake();
      await running;
    },
  };
};

const readEvent = (fields: readonly string[]): StoredEvent | undefined => {
  const value = (name: string) => fields[fields.indexOf(name) + 1] ?? '';
  try {
    return { hit: JSON.parse(value('e')) as StoredEvent['hit'], atMs: Number(value('at')), billedMicros: Number(value('billed')) };
  } catch {
    return undefined;
  }
};
