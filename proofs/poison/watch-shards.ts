import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet } from '../rig/open-fleet.ts';

export interface ShardLag {
  /** The most that an event has waited in its stream. */
  readonly oldestEventMs: number;
  /** The most that a fold horizon was behind. */
  readonly oldestHorizonMs: number;
}

const EVERY_MS = 100;

/** Watches how far each shard is behind, except those that are named. */
export const watchShards = (
  { redis, keys }: Pick<Fleet, 'redis' | 'keys'>,
  except: { readonly carry: readonly number[]; readonly fold: readonly number[] },
) => {
  let [oldestEventMs, oldestHorizonMs] = [0, 0];
  let running = true;
  const look = async (shard: number): Promise<void> => {
    const [[first], horizon] = await Promise.all([redis.xrange(keys.events(shard), '-', '+', 'COUNT', 1), redis.get(keys.horizon(shard))]);
    if (first && !except.carry.includes(shard)) oldestEventMs = Math.max(oldestEventMs, Date.now() - Number.parseInt(first[0], 10));
    if (!except.fold.includes(shard)) oldestHorizonMs = Math.max(oldestHorizonMs, Date.now() - Number(horizon));
  };
  const watching = (async () => {
    while (running) {
      await Promise.all(Array.from({ length: keys.shards }, (_, shard) => look(shard)));
      await sleep(EVERY_MS);
    }
  })();
  return {
    stop: async (): Promise<ShardLag> => {
      running = false;
      await watching;
      return { oldestEventMs, oldestHorizonMs };
    },
  };
};
