import { loadScript } from '../../redis/load-script.ts';
import type { RedisClient } from '../../redis/redis-client.ts';
import type { LedgerKeys } from '../ledger-keys.ts';
import { SETTLE_LUA } from './encode-settle.ts';

export interface ExpireClicksOptions {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  /** Of loadScript. */
  readonly clock?: string | undefined;
}

/** Clicks of one call: 6 µs each. */
const MAX_CLICKS = 200;

/**
 * Filters the clicks of a shard that have waited for their impression long enough. Resolves to how
 * many; rejects when Redis is unavailable.
 */
export const createExpireClicks = ({ redis, keys, clock }: ExpireClicksOptions): ((shard: number) => Promise<number>) => {
  const lua = loadScript(new URL('./expire-clicks.lua', import.meta.url), { clock, generated: SETTLE_LUA });
  redis.defineCommand('expireClicks', { lua, numberOfKeys: 2 });
  const script = redis as unknown as { expireClicks(events: string, horizon: string, max: number): Promise<number> };
  return async (shard) => {
    let filtered = 0;
    for (;;) {
      const count = await script.expireClicks(keys.events(shard), keys.horizon(shard), MAX_CLICKS);
      filtered += count;
      if (count < MAX_CLICKS) return filtered;
    }
  };
};
