import { defineScript } from '../../redis/define-script.ts';
import { loadScript } from '../../redis/load-script.ts';
import type { ScriptOptions } from '../ledger-keys.ts';
import { settleLua } from './encode-settle.ts';

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
export const createExpireClicks = ({ redis, keys, clock }: ScriptOptions): ((shard: number) => Promise<ExpiredHits>) => {
  const lua = loadScript(new URL('./expire-clicks.lua', import.meta.url), { clock, generated: settleLua() });
  const expireSome = defineScript<[taken: number, viewable: number]>(redis, 'expireClicks', 2, lua);
  return async (shard) => {
    let [clicks, viewable] = [0, 0];
    for (;;) {
      const [taken, views] = await expireSome(keys.events(shard), keys.horizon(shard), MAX_HITS);
      clicks += taken - views;
      viewable += views;
      if (taken < MAX_HITS) return { clicks, viewable };
    }
  };
};
