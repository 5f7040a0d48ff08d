import { dayOf, IDLE_KEY_TTL_MS, MS_PER_HOUR } from '../base/utc-day.ts';
import type { LedgerKeys } from '../ledger/ledger-keys.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import type { EventStore, ServeCount, StoredEvent } from './postgres/event-store.ts';
import { createStreamConsumer, type StreamEntry } from '../redis/stream-consumer.ts';

export const DRAIN_GROUP = 'postgres';

export interface DrainOptions {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  readonly store: EventStore;
  /** This replica's name in the consumer group. */
  readonly consumer: string;
  readonly idleMs?: number;
  /** An entry that a consumer has held this long is taken over: its replica is dead, or Postgres refused it. */
  readonly claimAfterMs?: number;
  /** Told of a pass that failed (its entries stay and are tried again) and of entries that can never be stored. */
  readonly onFailure: (fault: Error) => void;
  readonly onUnreadable: (shard: number, entryId: string) => void;
}

export interface Drain {
  start(): void;
  /** Finishes the pass under way, tries once more what this replica still holds, and leaves the consumer groups that it owes nothing. */
  stop(): Promise<void>;
}

const BATCH = 500;
/** Streams and tallies live on as long as replicas drain them, and a month after the last one did. */
const KEY_TTL_S = IDLE_KEY_TTL_MS / 1000;
const RENEW_MS = 60_000;
const FLUSH_SERVES_MS = 5_000;
const PRUNE_TALLY_MS = MS_PER_HOUR;
/** A replica reads every second or so: one that has not for an hour, and owes nothing, is no more. */
const RETIRE_AFTER_MS = MS_PER_HOUR;

/**
 * Carries settled hits from the streams into Postgres, and the tally of serves with them. Every replica runs one; the consumer group
 * shares the entries out; what a replica failed to store it tries again before it takes more, and what a dead one had taken is claimed by another. An entry leaves the stream only after its row is committed, and
 * the row's unique key makes a second delivery harmless: at least once into the table that takes it at most once.
 */
export const createDrain = (options: DrainOptions): Drain => {
  const { redis, keys, store, consumer, idleMs = 200, claimAfterMs = 15_000, onFailure } = options;
  const shards = Array.from({ length: keys.shards }, (_, shard) => shard);
  let running: Promise<void> | undefined;
  let stopping = false;
  let wake: () => void = () => undefined;
  let renewedAt = 0;
  let flushedAt = 0;
  let prunedAt = 0;
  const group = createStreamConsumer({ redis, group: DRAIN_GROUP, name: consumer, batch: BATCH, keyTtlS: KEY_TTL_S });
  /** Shards of which a pass has failed: its entries are ours, whether or not we heard so, and come before any others. */
  const owing = new Set<number>();

  const drainShard = async (shard: number, claim: boolean): Promise<number> => {
    const stream = keys.events(shard);
    const owes = owing.has(shard);
    try {
      const entries = claim ? await group.abandoned(stream, claimAfterMs) : await (owes ? group.unfinished(stream) : group.fresh(stream));
      if (entries.length > 0) await storeEntries(shard, stream, entries);
      else if (!claim) owing.delete(shard);
      return entries.length;
    } catch (fault) {
      owing.add(shard);
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

  /** One entry that Postgres will never take must not hold up the rest of its batch for ever. */
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
    // One shard's trouble (a cluster node that is failing over) must not stop the others; an outage of all is one failure, not one a shard.
    for (const result of await Promise.allSettled(shards.map((shard) => drainShard(shard, claim)))) {
      if (result.status === 'fulfilled') moved += result.value;
      else failed ??= result.reason as Error;
    }
    if (failed) onFailure(failed);
    return moved;
  };

  const flushServes = async (): Promise<void> => {
    for (const shard of shards) await flushShardServes(redis, keys.serves(shard), store);
  };

  /** A replica that goes tries once more what it still holds, and leaves the groups that it owes nothing; the rest is claimed by others. */
  const handOver = async (): Promise<void> => {
    for (const shard of shards) owing.add(shard);
    await pass(false);
    await pass(false);
    await flushServes();
    for (const shard of shards) await group.leave(keys.events(shard));
  };

  const renew = async (): Promise<void> => {
    for (const shard of shards) {
      for (const key of [keys.events(shard), keys.serves(shard), keys.eventTally(shard)]) await redis.expire(key, KEY_TTL_S);
      await group.retireOthers(keys.events(shard), RETIRE_AFTER_MS);
    }
  };

  const housekeeping = async (now: number): Promise<void> => {
    if (now - flushedAt >= FLUSH_SERVES_MS) {
      flushedAt = now;
      await flushServes();
    }
    if (now - renewedAt >= RENEW_MS) {
      renewedAt = now;
      await renew();
    }
    if (now - prunedAt >= PRUNE_TALLY_MS) {
      prunedAt = now;
      for (const shard of shards) await pruneTally(redis, keys.eventTally(shard));
    }
  };

  const loop = async (): Promise<void> => {
    let claimedAt = 0;
    while (!stopping) {
      let moved = 0;
      try {
        const now = Date.now();
        const claim = now - claimedAt >= claimAfterMs / 3;
        if (claim) claimedAt = now;
        if (claim) moved = await pass(true);
        // Much was left behind: do not wait for the next turn to take the rest over.
        if (moved >= BATCH) claimedAt = 0;
        moved += await pass(false);
        await housekeeping(now);
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

/** SQLSTATE class 22: the value itself is at fault, whoever sends it and however often. */
const isDataFault = (fault: unknown): boolean => String((fault as { code?: unknown }).code).startsWith('22');

const readEvent = (fields: readonly string[]): StoredEvent | undefined => {
  const value = (name: string) => fields[fields.indexOf(name) + 1] ?? '';
  try {
    return { hit: JSON.parse(value('e')) as StoredEvent['hit'], atMs: Number(value('at')), billedMicros: Number(value('billed')) };
  } catch {
    return undefined;
  }
};

/** Copies a shard's tally into the daily counts, and drops from it the days before yesterday, which no longer change. */
const flushShardServes = async (redis: RedisClient, key: string, store: EventStore): Promise<void> => {
  const today = dayOf(Date.now());
  let cursor = '0';
  do {
    const [next, flat] = await redis.hscan(key, cursor, 'COUNT', BATCH);
    cursor = next;
    const counts: ServeCount[] = [];
    const done: string[] = [];
    for (let i = 0; i < flat.length; i += 2) {
      const field = flat[i]!;
      const [day = 0, publisherId = 0, campaignId = 0, lineItemId = 0, creativeId = 0] = field.split(':').map(Number);
      counts.push({ day, publisherId, campaignId, lineItemId, creativeId, serves: Number(flat[i + 1]) });
      if (day < today - 1) done.push(field);
    }
    await store.recordServes(counts);
    if (done.length > 0) await redis.hdel(key, ...done);
  } while (cursor !== '0');
};

/** Drops the days before yesterday from a tally whose fields begin with their day. */
const pruneTally = async (redis: RedisClient, key: string): Promise<void> => {
  const today = dayOf(Date.now());
  let cursor = '0';
  do {
    const [next, flat] = await redis.hscan(key, cursor, 'COUNT', BATCH);
    cursor = next;
    const old = flat.filter((field, i) => i % 2 === 0 && Number.parseInt(field, 10) < today - 1);
    if (old.length > 0) await redis.hdel(key, ...old);
  } while (cursor !== '0');
};
