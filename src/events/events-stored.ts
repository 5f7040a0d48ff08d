import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerKeys } from '../ledger/ledger-keys.ts';
import { createReadUnstored, entryMs } from '../ledger/read/oldest-unstored.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import { MS_PER_MINUTE } from '../base/utc-day.ts';

/** How long events may stay in the streams before a command gives up. */
const STREAM_PATIENCE_MS = 5 * MS_PER_MINUTE;

/**
 * Resolves when every event that was settled before this call is stored in Postgres.
 *
 * @param nowMs the clock of a shard
 */
export const eventsStored = async (redis: RedisClient, keys: LedgerKeys, nowMs: (shard: number) => number): Promise<void> => {
  const readUnstored = createReadUnstored({ redis, keys });
  const deadlineMs = Date.now() + STREAM_PATIENCE_MS;
  for (let shard = 0; shard < keys.shards; shard++) {
    const beforeMs = nowMs(shard);
    for (;;) {
      if (entryMs((await readUnstored(shard)).oldest) > beforeMs) break;
      if (Date.now() > deadlineMs) throw new Error('Events wait in Redis, and no replica stores them: start one and repeat the command.');
      await sleep(200);
    }
  }
};
