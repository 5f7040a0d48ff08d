import type { LedgerKeys } from '../ledger-keys.ts';
import { loadScript } from '../../redis/load-script.ts';
import type { RedisClient } from '../../redis/redis-client.ts';

/** What of a shard's events is not in Postgres. The stream may have older entries: they wait for sinks. */
export interface Unstored {
  /** Id of the oldest entry; undefined: all are stored. */
  readonly oldest: string | undefined;
  readonly entries: number;
}

/** Rejects when the shard's Redis is unavailable. */
export type ReadUnstored = (shard: number) => Promise<Unstored>;

export const createReadUnstored = ({ redis, keys }: { readonly redis: RedisClient; readonly keys: LedgerKeys }): ReadUnstored => {
  redis.defineCommand('oldestUnstored', { lua: loadScript(new URL('./oldest-unstored.lua', import.meta.url)), numberOfKeys: 1 });
  const scripts = redis as unknown as { oldestUnstored(stream: string): Promise<[string, number]> };
  return async (shard) => {
    const [oldest, entries] = await scripts.oldestUnstored(keys.events(shard));
    return { oldest: oldest === '' ? undefined : oldest, entries };
  };
};

/** The time in an id of an entry, epoch ms by Redis's clock; Infinity: there is no entry. */
export const entryMs = (id: string | undefined): number => (id === undefined ? Infinity : Number.parseInt(id, 10));
