import { loadScript } from '../../redis/load-script.ts';
import type { RedisClient } from '../../redis/redis-client.ts';
import type { LedgerKeys } from '../ledger-keys.ts';
import { settleLua } from './encode-settle.ts';

export interface ExpireClicksOptions {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  /** Of loadScript. */
  readonly clock?: string | undefined;
}

/** Hits of one call: 6 µs each. */
const MAX_HITS = 200;

/** Hits that were filtered, because their impression did not come. */
export interface ExpiredHits {
  readonly clicks: number;
  /** Viewable events that would have billed. */
  readonly viewable: number;
}

/**
 * Filters the hits of a shard that have waited for their impression long enough. Resolves to how
 * many; rejects when Redis is unavailable.
 */
export const createExpireClicks = ({ redis, keys, clock }: ExpireClicksOptions): ((shard: number) => Promise<ExpiredHits>) => {
  const lua = loadScript(new URL('./expire-clicks.lua', import.meta.url), { clock, generated: settleLua() });
  redis.defineCommand('expireClicks', { lua, numberOfKeys: 2 });
  const script = redis as unknown as {
    expireClicks(events: string, horizon: string, max: number): Promise<[taken: number, viewable: number]>;
  };
  return async (shard) => {
    let [clicks, viewable] = [0, 0];
    for (;;) {
      const [taken, views] = await script.expireClicks(keys.events(shard), keys.horizon(shard), MAX_HITS);
      clicks += taken - views;
      viewable += views;
      if (taken < MAX_HITS) return { clicks, viewable };
    }
  };
};
