import { MS_PER_DAY } from '../base/utc-day.ts';
import type { LedgerKeys } from '../ledger/ledger-keys.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import type { EventStore, ServeCount } from './postgres/event-store.ts';

/** Copies the ledger's tallies (hashes by shard, fields that begin with the day) to Postgres. */
export interface TallyWriter {
  /** Runs the copies that are due at `nowMs`. Rejects when a store is unavailable. */
  tick(nowMs: number): Promise<void>;
  /** Copies the serves of all shards into the daily counts. */
  flush(): Promise<void>;
}

const FLUSH_MS = 5_000;
const PRUNE_MS = 3_600_000;
const SCAN_COUNT = 500;

export const createTallyWriter = ({
  redis,
  keys,
  store,
}: {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  readonly store: Pick<EventStore, 'recordServes'>;
}): TallyWriter => {
  let flushedAtMs = 0;
  let prunedAtMs = 0;

  /**
   * Reads a tally in pieces, and deletes from each the fields of days before yesterday, which no
   * longer change.
   */
  const sweep = async (
    key: string,
    carry?: (piece: readonly (readonly [field: string, count: string])[]) => Promise<void>,
  ): Promise<void> => {
    const yesterday = Math.floor(Date.now() / MS_PER_DAY) - 1;
    let cursor = '0';
    do {
      const [next, flat] = await redis.hscan(key, cursor, 'COUNT', SCAN_COUNT);
      cursor = next;
      const piece = Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i]!, flat[2 * i + 1]!] as const);
      await carry?.(piece);
      const old = piece.map(([field]) => field).filter((field) => Number.parseInt(field, 10) < yesterday);
      if (old.length > 0) await redis.hdel(key, ...old);
    } while (cursor !== '0');
  };

  const flush = async (): Promise<void> => {
    for (let shard = 0; shard < keys.shards; shard++)
      await sweep(keys.serves(shard), (piece) => store.recordServes(piece.map(([field, count]) => readServes(field, count))));
  };

  return {
    flush,
    tick: async (nowMs) => {
      if (nowMs - flushedAtMs >= FLUSH_MS) {
        flushedAtMs = nowMs;
        await flush();
      }
      if (nowMs - prunedAtMs >= PRUNE_MS) {
        prunedAtMs = nowMs;
        for (let shard = 0; shard < keys.shards; shard++) await sweep(keys.eventTally(shard));
      }
    },
  };
};

/** The day and `servesField` (ledger-keys.ts). */
const readServes = (field: string, count: string): ServeCount => {
  const [day = 0, publisherId = 0, campaignId = 0, lineItemId = 0, creativeId = 0] = field.split(':').map(Number);
  return { day, publisherId, campaignId, lineItemId, creativeId, serves: Number(count) };
};
