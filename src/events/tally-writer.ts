import { MS_PER_DAY } from '../base/utc-day.ts';
import type { LedgerKeys } from '../ledger/ledger-keys.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import type { DeadEvent } from './postgres/dead-events.ts';
import type { EventStore, ServeCount } from './postgres/event-store.ts';
import { MAX_DAY } from './read-event.ts';
import { storeEach } from './store-each.ts';

/** Copies the ledger's tallies (hashes by shard, fields that begin with the day) to Postgres. */
export interface TallyWriter {
  /** Does for a shard what is due at `nowMs`. Rejects when a store is unavailable. */
  tick(shard: number, nowMs: number): Promise<void>;
  /** Copies the serves of a shard into the daily counts. */
  flush(shard: number): Promise<void>;
}

export interface TallyWriterOptions {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  readonly store: Pick<EventStore, 'recordServes'>;
  /** Stores a count that Postgres refused for a lasting reason. */
  readonly bury: (dead: DeadEvent) => Promise<void>;
  readonly flushMs?: number | undefined;
}

const FLUSH_MS = 5_000;
const PRUNE_MS = 3_600_000;
const SCAN_COUNT = 500;

export const createTallyWriter = ({ redis, keys, store, bury, flushMs = FLUSH_MS }: TallyWriterOptions): TallyWriter => {
  const flushedAtMs = new Map<number, number>();
  const prunedAtMs = new Map<number, number>();

  /** Reads a tally in pieces. */
  const sweep = async (key: string, carry: (piece: readonly (readonly [field: string, count: string])[]) => Promise<void>) => {
    let cursor = '0';
    do {
      const [next, flat] = await redis.hscan(key, cursor, 'COUNT', SCAN_COUNT);
      cursor = next;
      await carry(Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i]!, flat[2 * i + 1]!] as const));
    } while (cursor !== '0');
  };

  const flush = (shard: number): Promise<void> =>
    sweep(keys.serves(shard), async (piece) => {
      const dead = (fields: readonly [string, string], refusal: Pick<DeadEvent, 'sqlState' | 'reason'>) =>
        bury({ source: 'serves', shard, entryId: fields[0], fields, ...refusal });
      const counts: { readonly fields: readonly [string, string]; readonly serves: ServeCount }[] = [];
      for (const fields of piece) {
        try {
          counts.push({ fields, serves: readServes(...fields) });
        } catch (fault) {
          await dead(fields, { sqlState: null, reason: (fault as Error).message });
        }
      }
      await storeEach(
        counts,
        (batch) => store.recordServes(batch.map(({ serves }) => serves)),
        ({ fields }, refusal) => dead(fields, refusal),
      );
    });

  /** Deletes the fields of days before yesterday, which no longer change. */
  const prune = async (key: string): Promise<void> => {
    const yesterday = Math.floor(Date.now() / MS_PER_DAY) - 1;
    await sweep(key, async (piece) => {
      const old = piece.map(([field]) => field).filter((field) => Number.parseInt(field, 10) < yesterday);
      if (old.length > 0) await redis.hdel(key, ...old);
    });
  };

  return {
    flush,
    tick: async (shard, nowMs) => {
      if (nowMs - (flushedAtMs.get(shard) ?? 0) < flushMs) return;
      await flush(shard);
      flushedAtMs.set(shard, nowMs);
      if (nowMs - (prunedAtMs.get(shard) ?? 0) < PRUNE_MS) return;
      for (const key of [keys.serves(shard), keys.eventTally(shard)]) await prune(key);
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
