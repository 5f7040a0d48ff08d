import type { Catalog } from './catalog/catalog.ts';
import type { Stores } from './connect-stores.ts';
import type { Metrics } from './observability/metrics.ts';
import type { PendingHits } from './tracking/pending-hits.ts';

export interface WatchedService {
  readonly metrics: Metrics;
  readonly catalog: Catalog;
  readonly stores: Stores;
  readonly pending: PendingHits;
}

/** Gives the gauges what they read at a scrape. */
export const watchService = ({ metrics, catalog, stores, pending }: WatchedService): void => {
  const { knex, backgroundRedis: redis, link, keys } = stores;
  const shards = Array.from({ length: keys.shards }, (_, shard) => shard);
  const sum = async (read: (shard: number) => Promise<number>) =>
    (await Promise.all(shards.map(read))).reduce((total, count) => total + count, 0);

  metrics.watch({
    snapshotVersion: () => catalog.current()?.version ?? 0,
    snapshotAgeSeconds: () => (Date.now() - (catalog.current()?.loadedAtMs ?? Date.now())) / 1000,
    snapshotQuarantinedRows: () => {
      const rows: Record<string, number> = {};
      for (const { table } of catalog.current()?.quarantined ?? []) rows[table] = (rows[table] ?? 0) + 1;
      return rows;
    },
    redisUp: () => link.up,
    postgresUp: () =>
      knex.raw('select 1').then(
        () => true,
        () => false,
      ),
    redisMisconfigured: async () => isMisconfigured(await redis.info('persistence'), await redis.info('memory')),
    streamLagEntries: () => sum((shard) => redis.xlen(keys.events(shard))),
    pendingHits: pending.count,
    foldHorizonAgeSeconds: async () => {
      const horizons = await Promise.all(shards.map(async (shard) => Number(await redis.get(keys.horizon(shard)))));
      return (Date.now() - Math.min(...horizons)) / 1000;
    },
  });
};

/** Counters that may be evicted, or that a restart forgets, are caps that silently no longer hold. */
const isMisconfigured = (persistence: string, memory: string): boolean =>
  !persistence.includes('aof_enabled:1') || !memory.includes('maxmemory_policy:noeviction');
