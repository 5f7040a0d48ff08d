import type { LedgerKeys } from '../delivery/ledger-keys.ts';
import type { RedisClient } from '../delivery/redis-client.ts';
import type { EventStore, ServeCount, StoredEvent } from './event-store.ts';

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

type Entry = [id: string, fields: string[]];

const BATCH = 500;
/** Streams and tallies live on as long as replicas drain them, and a month after the last one did. */
const KEY_TTL_S = 35 * 86_400;
const RENEW_MS = 60_000;
const FLUSH_SERVES_MS = 5_000;
const DEAD_AFTER_MS = 3_600_000;

/**
 * Carries settled hits from the streams into Postgres, and the tally of serves with them. Every replica runs one; the consumer group
 * shares the entries out, and what a dead replica had taken is claimed by another. An entry leaves the stream only after its row is committed, and
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

  const drainShard = async (shard: number, from: 'new' | 'own' | 'others'): Promise<number> => {
    const stream = keys.events(shard);
    const entries =
      from === 'others'
        ? await claimed(redis, stream, consumer, claimAfterMs)
        : await assigned(redis, stream, consumer, from === 'new' ? '>' : '0');
    if (entries.length === 0) return 0;
    const events = new Map<string, StoredEvent>();
    for (const [id, fields] of entries) {
      const event = readEvent(fields);
      if (event) events.set(id, event);
      else options.onUnreadable(shard, id);
    }
    await appendAll(shard, events);
    const ids = entries.map(([id]) => id);
    await redis.xack(stream, DRAIN_GROUP, ...ids);
    await redis.xdel(stream, ...ids);
    return entries.length;
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

  /** One shard's trouble (a cluster node that is failing over) must not stop the others. */
  const eachShard = async (work: (shard: number) => Promise<number>): Promise<number> => {
    let moved = 0;
    for (const result of await Promise.allSettled(shards.map(work))) {
      if (result.status === 'fulfilled') moved += result.value;
      else onFailure(result.reason as Error);
    }
    return moved;
  };
  const pass = (from: 'new' | 'own' | 'others'): Promise<number> => eachShard((shard) => drainShard(shard, from));

  /** A consumer takes its pending entries with it when it is deleted, so only one that owes nothing may go; the others are claimed. */
  const leave = async (shard: number): Promise<number> => {
    const stream = keys.events(shard);
    const owed = (await redis.xpending(stream, DRAIN_GROUP, '-', '+', 1, consumer));
    if (owed.length === 0) await redis.xgroup('DELCONSUMER', stream, DRAIN_GROUP, consumer);
    return 0;
  };

  const handOver = async (): Promise<void> => {
    await pass('own');
    await pass('new');
    await flushServes();
    await eachShard(leave);
  };

  const flushServes = async (): Promise<void> => {
    for (const shard of shards) await flushShardServes(redis, keys.serves(shard), store);
  };

  const renew = async (): Promise<void> => {
    for (const shard of shards) {
      for (const key of [keys.events(shard), keys.serves(shard), keys.eventTally(shard)]) await redis.expire(key, KEY_TTL_S);
      await forgetTheDead(redis, keys.events(shard));
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
  };

  const loop = async (): Promise<void> => {
    let claimedAt = 0;
    while (!stopping) {
      let moved = 0;
      try {
        const now = Date.now();
        const claim = now - claimedAt >= claimAfterMs / 3;
        if (claim) claimedAt = now;
        moved = (claim ? await pass('others') : 0) + (await pass('new'));
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

/** `>`: entries that nobody has had yet; `0`: those that this consumer has had and not acknowledged. */
const assigned = async (redis: RedisClient, stream: string, consumer: string, from: '>' | '0'): Promise<Entry[]> => {
  try {
    const reply = (await redis.xreadgroup('GROUP', DRAIN_GROUP, consumer, 'COUNT', BATCH, 'STREAMS', stream, from)) as
      [string, Entry[]][] | null;
    return reply?.[0]?.[1] ?? [];
  } catch (fault) {
    if (!String((fault as Error).message).startsWith('NOGROUP')) throw fault;
    await createGroup(redis, stream);
    return [];
  }
};

const claimed = async (redis: RedisClient, stream: string, consumer: string, idleMs: number): Promise<Entry[]> => {
  try {
    const [, entries] = (await redis.xautoclaim(stream, DRAIN_GROUP, consumer, idleMs, '0', 'COUNT', BATCH)) as [string, Entry[]];
    return entries;
  } catch (fault) {
    if (!String((fault as Error).message).startsWith('NOGROUP')) throw fault;
    await createGroup(redis, stream);
    return [];
  }
};

const createGroup = async (redis: RedisClient, stream: string): Promise<void> => {
  try {
    await redis.xgroup('CREATE', stream, DRAIN_GROUP, '0', 'MKSTREAM');
    await redis.expire(stream, KEY_TTL_S);
  } catch (fault) {
    // Another replica was first.
    if (!String((fault as Error).message).startsWith('BUSYGROUP')) throw fault;
  }
};

/** A replica that was killed leaves its name in the group. A living one reads five times a second, so an hour of silence is death. */
const forgetTheDead = async (redis: RedisClient, stream: string): Promise<void> => {
  if ((await redis.exists(stream)) === 0) return;
  const consumers = (await redis.xinfo('CONSUMERS', stream, DRAIN_GROUP)) as (string | number)[][];
  for (const consumer of consumers) {
    const value = (name: string) => consumer[consumer.indexOf(name) + 1];
    if (value('pending') === 0 && Number(value('idle')) > DEAD_AFTER_MS)
      await redis.xgroup('DELCONSUMER', stream, DRAIN_GROUP, String(value('name')));
  }
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
  const today = Math.floor(Date.now() / 86_400_000);
  let cursor = '0';
  do {
    const [next, flat] = await redis.hscan(key, cursor, 'COUNT', BATCH);
    cursor = next;
    const counts: ServeCount[] = [];
    const done: string[] = [];
    for (let i = 0; i < flat.length; i += 2) {
      const field = flat[i];
      const [day = 0, publisherId = 0, campaignId = 0, lineItemId = 0, creativeId = 0] = field.split(':').map(Number);
      counts.push({ day, publisherId, campaignId, lineItemId, creativeId, serves: Number(flat[i + 1]) });
      if (day < today - 1) done.push(field);
    }
    await store.recordServes(counts);
    if (done.length > 0) await redis.hdel(key, ...done);
  } while (cursor !== '0');
};
