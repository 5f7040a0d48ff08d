import { dayOf, MS_PER_HOUR } from '../base/utc-day.ts';
import type { LedgerKeys } from '../ledger/ledger-keys.ts';
import { loadScript } from '../redis/load-script.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import type { DeadEvent } from './postgres/dead-events.ts';
import type { EventStore, ServeCount } from './postgres/event-store.ts';
import { MAX_DAY } from '../ledger/read-hit.ts';
import { storeEach } from './store-each.ts';

export interface TallyWriterOptions {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  readonly store: Pick<EventStore, 'recordServes'>;
  /** Stores a count that Postgres refused for a lasting reason. */
  readonly bury: (dead: DeadEvent) => Promise<void>;
  readonly flushMs?: number | undefined;
}

const FLUSH_MS = 5_000;
const PRUNE_MS = MS_PER_HOUR;
const SCAN_COUNT = 500;
/** No clocks are further behind UTC: there a day begins last. */
const LAST_ZONE_MS = 12 * MS_PER_HOUR;

/**
 * Copies the ledger's tallies (hashes by shard, fields that begin with the day) to Postgres. Only serves that have changed since any
 * replica copied them are copied: the ledger lists them. A count stays listed until it is committed, so a replica that dies in between
 * loses none.
 */
export const createTallyWriter = ({ redis, keys, store, bury, flushMs = FLUSH_MS }: TallyWriterOptions) => {
  redis.defineCommand('tallyCopied', { lua: loadScript(new URL('./lua/tally-copied.lua', import.meta.url)), numberOfKeys: 2 });
  const scripts = redis as unknown as { tallyCopied(serves: string, changed: string, ...args: string[]): Promise<number> };
  const flushedAtMs = new Map<number, number>();
  const prunedAtMs = new Map<number, number>();

  /** Stores the counts of some fields, then removes from the changes those that have not changed meanwhile. */
  const copy = async (shard: number, fields: readonly string[]): Promise<void> => {
    const dead = (entry: readonly [string, string], refusal: Pick<DeadEvent, 'sqlState' | 'reason'>) =>
      bury({ source: 'serves', shard, entryId: entry[0], fields: entry, ...refusal });
    const values = await redis.hmget(keys.serves(shard), ...fields);
    const counts: { readonly entry: readonly [string, string]; readonly serves: ServeCount }[] = [];
    for (const [i, field] of fields.entries()) {
      const count = values[i];
      if (count == null) continue;
      try {
        counts.push({ entry: [field, count], serves: readServes(field, count) });
      } catch (fault) {
        await dead([field, count], { sqlState: null, reason: (fault as Error).message });
      }
    }
    await storeEach(
      counts,
      (batch) => store.recordServes(batch.map(({ serves }) => serves)),
      ({ entry }, refusal) => dead(entry, refusal),
    );
    await scripts.tallyCopied(keys.serves(shard), keys.changedServes(shard), ...fields.flatMap((field, i) => [field, values[i] ?? '']));
  };

  const flush = async (shard: number): Promise<void> => {
    let cursor = '0';
    do {
      const [next, fields] = await redis.sscan(keys.changedServes(shard), cursor, 'COUNT', SCAN_COUNT);
      cursor = next;
      if (fields.length > 0) await copy(shard, [...new Set(fields)]);
    } while (cursor !== '0');
  };

  /** Deletes the fields of days before yesterday, wherever a publisher is, which no longer change. */
  const prune = async (key: string): Promise<void> => {
    const yesterday = dayOf(Date.now() - LAST_ZONE_MS) - 1;
    let cursor = '0';
    do {
      const [next, flat] = await redis.hscan(key, cursor, 'COUNT', SCAN_COUNT);
      cursor = next;
      const old = flat.filter((field, i) => i % 2 === 0 && Number.parseInt(field, 10) < yesterday);
      if (old.length > 0) await redis.hdel(key, ...old);
    } while (cursor !== '0');
  };

  return {
    /** Copies the changed serves of a shard into the daily counts. */
    flush,
    /** Does for a shard what is due at `nowMs`. Rejects when a store is unavailable. */
    tick: async (shard: number, nowMs: number): Promise<void> => {
      if (nowMs - (flushedAtMs.get(shard) ?? 0) < flushMs) return;
      await flush(shard);
      flushedAtMs.set(shard, nowMs);
      if (nowMs - (prunedAtMs.get(shard) ?? 0) < PRUNE_MS) return;
      for (const key of [keys.serves(shard), keys.eventTally(shard), keys.filtered(shard)]) await prune(key);
      prunedAtMs.set(shard, nowMs);
    },
  };
};

/**
 * The day and `servesField` (ledger-keys.ts).
 *
 * @throws when a part is not a whole number, or the day is later than 9999-12-31
 */
export const readServes = (field: string, count: string): ServeCount => {
  const parts = field.split(':').map(Number);
  const [day = NaN, publisherId = NaN, campaignId = NaN, lineItemId = NaN, creativeId = NaN] = parts;
  const serves = Number(count);
  if (![day, publisherId, campaignId, lineItemId, creativeId, serves].every(Number.isSafeInteger) || day < 0 || day > MAX_DAY)
    throw new Error('the field is not a day and four ids, or its count is not a whole number');
  return { day, publisherId, campaignId, lineItemId, creativeId, serves };
};
