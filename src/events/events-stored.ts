import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerKeys } from '../ledger/ledger-keys.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import { MS_PER_MINUTE } from '../base/utc-day.ts';

/** How long events may stay in the streams before a command gives up. */
const STREAM_PATIENCE_MS = 5 * MS_PER_MINUTE;

/**
 * Resolves when every event that was settled before this call has left the streams for Postgres.
 *
 * @param nowMs the clock of a shard
 */
export const eventsStored = async (redis: RedisClient, keys: LedgerKeys, nowMs: (shard: number) => number): Promise<void> => {
  const deadlineMs = Date.now() + STREAM_PATIENCE_MS;
  for (let shard = 0; shard < keys.shards; shard++) {
    const beforeMs = nowMs(shard);
    for (;;) {
      const [oldest] = await redis.xrange(keys.events(shard), '-', '+', 'COUNT', 1);
      if (oldest === undefined || Number.parseInt(oldest[0], 10) > beforeMs) break;
      if (Date.now() > deadlineMs) throw new Error('Events wait in Redis, and no replica stores them: start one and repeat the command.');
      await sleep(200);
    }
  }
};
