import type { LedgerKeys } from '../ledger/ledger-keys.ts';
import { EVENT_GROUP } from '../ledger/read/event-group.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import type { RedisLink } from '../redis/redis-link.ts';
import { createStreamConsumer, type StreamEntry } from '../redis/stream-consumer.ts';
import type { DeadEvent, DeadEvents } from './postgres/dead-events.ts';
import type { EventStore } from './postgres/event-store.ts';
import { createShardLoops, type ShardLoop } from './shard-loops.ts';
import { createStoreEntries, MAX_EVENTS } from './store-entries.ts';
import { createTallyWriter } from './tally-writer.ts';
import { IDLE_KEY_TTL_MS, MS_PER_HOUR } from '../base/utc-day.ts';

export interface EventWriterOptions {
  readonly redis: RedisClient;
  readonly link: Pick<RedisLink, 'upOf'>;
  readonly keys: LedgerKeys;
  readonly store: Pick<EventStore, 'append' | 'recordServes'>;
  readonly deadEvents: Pick<DeadEvents, 'add'>;
  /** Acknowledges entries that sinks may still need. undefined: there are no sinks, and Postgres's entries are deleted. */
  readonly finish?: ((shard: number, ids: readonly string[]) => Promise<void>) | undefined;
  /** Called with each pass that reads events and stores them. `hurry`: what it has read waits no longer for other shards. */
  readonly onCarrying?: ((carried: Promise<unknown>, hurry: () => void) => void) | undefined;
  /** This replica's name in the consumer group. */
  readonly consumer: string;
  /** How long a shard rests after a pass with few events. */
  readonly idleMs?: number;
  /**
   * An entry held by a consumer for this long is claimed: its replica has died, or Postgres refused
   * it.
   */
  readonly claimAfterMs?: number;
  /** How often the serves are copied. */
  readonly flushMs?: number;
  /** For how long it reads what waits when it stops. */
  readonly handOverMs?: number;
  /** Called for each pass of a shard that failed; its entries stay in the stream and are retried. */
  readonly onFailure: (fault: Error) => void;
  /** Called after an entry has been stored as a dead event. */
  readonly onDead: (dead: DeadEvent) => void;
}

/**
 * Entries of one read. An entry holds one event when the service is idle, and up to 32 under load, so
 * a read takes as many entries as had MAX_EVENTS events in the read before.
 */
const MAX_ENTRIES = 500;
const FIRST_ENTRIES = 100;
/**
 * A transaction costs as much as a hundred events. After a pass with fewer than this a shard rests for about IDLE_MS, after a pass with more
 * for a fifth of it: long rests under load would make long passes. While Redis is away it looks as often, because what waits is old.
 */
const FEW_EVENTS = 500;
const IDLE_MS = 750;
const BUSY_SHARE = 0.2;
/** So much of IDLE_MS few events of a shard wait for those of others. */
const GATHERED_SHARE = 1 / 3;
/** Streams and tallies expire a month after the last replica stopped carrying them. */
const KEY_TTL_S = IDLE_KEY_TTL_MS / 1000;
const RENEW_MS = 60_000;
/** A replica reads about once a second. One that has not read for an hour and holds no entries has stopped. */
const RETIRE_AFTER_MS = MS_PER_HOUR;
/** After a failed pass, a shard rests for this long. */
const REST_MS = 1_000;
/** Less than a replica that stops has for its background work (lifecycle.ts): it leaves its groups afterwards. */
const HAND_OVER_MS = 2_000;

/**
 * Copies settled hits and tallies from Redis to Postgres. Every replica runs one, with a loop for each shard.
 *
 * The consumer group divides the entries among the replicas. A replica retries the entries that it
 * failed to store before it reads more; another replica claims the entries of a dead one. An entry
 * is deleted from the stream only after its row, or its dead event, is committed, and the row's
 * unique key makes a repeated delivery harmless: delivery is at least once, storage exactly once.
 *
 * When it stops, it finishes the current pass, retries the entries that this replica still holds once, carries those that wait, for
 * about `handOverMs`, and leaves each group in which it holds none.
 */
export const createEventWriter = (options: EventWriterOptions) => {
  const { redis, link, keys, store, deadEvents, consumer, idleMs = IDLE_MS, claimAfterMs = 15_000 } = options;
  const { flushMs, handOverMs = HAND_OVER_MS, onFailure, onDead } = options;
  const group = createStreamConsumer({ redis, group: EVENT_GROUP, name: consumer, keyTtlS: KEY_TTL_S });

  const bury = async (dead: DeadEvent): Promise<void> => {
    await deadEvents.add(dead);
    onDead(dead);
  };
  const tallies = createTallyWriter({ redis, keys, store, bury, flushMs });
  const storeEntries = createStoreEntries({ store, bury, waitMs: GATHERED_SHARE * idleMs, enough: FEW_EVENTS });

  interface Carried {
    readonly events: number;
    /** There may be: as many entries were read as were asked for. */
    readonly more: boolean;
  }

  const carriage = (shard: number): ShardLoop => {
    const stream = keys.events(shard);
    /**
     * The last pass failed. Its entries are read first: they are assigned to this consumer even if
     * the reply was lost.
     */
    let unfinished = false;
    let maxEntries = FIRST_ENTRIES;
    let claimedAtMs = 0;
    let renewedAtMs = 0;

    const read = (claim: boolean): Promise<readonly StreamEntry[]> =>
      claim
        ? group.abandoned(stream, claimAfterMs, maxEntries)
        : unfinished
          ? group.unfinished(stream, maxEntries)
          : group.fresh(stream, maxEntries);

    const carryEntries = async (claim: boolean): Promise<Carried> => {
      try {
        const asked = maxEntries;
        const entries = await read(claim);
        let events = 0;
        if (entries.length > 0) {
          // What Postgres has refused for a time it may refuse again, and with it what is gathered with it.
          events = await storeEntries.store(shard, entries, claim || unfinished);
          const ids = entries.map(([id]) => id);
          await (options.finish?.(shard, ids) ?? group.finish(stream, ids));
          maxEntries = Math.min(Math.ceil((MAX_EVENTS * entries.length) / Math.max(events, 1)), MAX_ENTRIES);
        } else if (!claim) unfinished = false;
        return { events, more: entries.length >= asked };
      } catch (fault) {
        unfinished = true;
        throw fault;
      }
    };

    const carry = (claim: boolean): Promise<Carried> => {
      const carried = carryEntries(claim);
      options.onCarrying?.(carried, storeEntries.hurry);
      return carried;
    };

    const renewKeys = async (nowMs: number): Promise<void> => {
      if (nowMs - renewedAtMs < RENEW_MS) return;
      renewedAtMs = nowMs;
      for (const key of [stream, keys.serves(shard), keys.changedServes(shard), keys.eventTally(shard), keys.filtered(shard)])
        await redis.expire(key, KEY_TTL_S);
      await group.retireOthers(stream, RETIRE_AFTER_MS);
    };

    /** What other replicas have left, and what is new. Resolves to how long to rest after it, in ms. */
    const carryAll = async (nowMs: number): Promise<number> => {
      let claimed: Carried = { events: 0, more: false };
      if (nowMs - claimedAtMs >= claimAfterMs / 3) {
        claimedAtMs = nowMs;
        claimed = await carry(true);
        // The rest is claimed in the next pass.
        if (claimed.more) claimedAtMs = 0;
      }
      const { events, more } = await carry(false);
      if (more || claimed.more) return 0;
      // Of any length around it, so that the shards are not read, nor the same ones gathered, all in one moment.
      return (claimed.events + events < FEW_EVENTS ? 0.5 + Math.random() : BUSY_SHARE) * idleMs;
    };

    const failed = (fault: Error): number => {
      onFailure(fault);
      return REST_MS;
    };

    const handOver = async (): Promise<void> => {
      unfinished = true;
      const begunMs = performance.now();
      let left: boolean;
      do {
        const held = unfinished;
        const { more } = await carry(false);
        // After what it held comes what is new.
        left = more || held;
      } while (left && performance.now() - begunMs < handOverMs);
      await tallies.flush(shard);
      await group.leave(stream);
    };

    return {
      shard,
      pass: async () => {
        const nowMs = Date.now();
        const restMs = await carryAll(nowMs).catch(failed);
        // Also while an event is refused.
        await tallies.tick(shard, nowMs);
        await renewKeys(nowMs);
        return restMs;
      },
      onFailure: failed,
      finish: async () => {
        if (link.upOf(shard)) await handOver().catch(onFailure);
      },
    };
  };

  return createShardLoops({
    link,
    downMs: BUSY_SHARE * idleMs,
    loops: Array.from({ length: keys.shards }, (_, shard) => carriage(shard)),
  });
};

export type EventWriter = ReturnType<typeof createEventWriter>;
