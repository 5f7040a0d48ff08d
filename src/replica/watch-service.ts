import type { Catalog } from '../catalog/catalog.ts';
import { createDeadEvents } from '../events/postgres/dead-events.ts';
import type { Stores } from './connect-stores.ts';
import { createUnsettledCount } from '../ledger/count-unsettled.ts';
import { createAccountReader } from '../ledger/read/read-accounts.ts';
import { redisSettingsFaults } from '../redis/redis-settings.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { PendingHits } from '../tracking/pending-hits.ts';

export interface WatchedService {
  readonly metrics: Metrics;
  readonly log: Log;
  readonly catalog: Catalog;
  readonly stores: Stores;
  readonly pending: PendingHits;
  readonly isReady: () => boolean;
}

/**
 * Sets the readers of the gauges.
 * @returns checks the settings of Redis at start; a fault is logged when it is first seen, here or
 *   at a scrape
 */
export const watchService = ({ metrics, log, catalog, stores, pending, isReady }: WatchedService): (() => Promise<void>) => {
  const { knex, promptKnex, backgroundRedis: redis, link, keys } = stores;
  const shards = Array.from({ length: keys.shards }, (_, shard) => shard);
  const sum = async (read: (shard: number) => Promise<number>) =>
    (await Promise.all(shards.map(read))).reduce((total, count) => total + count, 0);
  const accounts = createAccountReader({ redis, keys });

  let loggedFaults = '';
  const isMisconfigured = async (): Promise<boolean> => {
    const faults = await redisSettingsFaults(redis);
    const found = faults.join('; ');
    if (found !== loggedFaults && found !== '') log.warn('Redis is set up so that it can lose counters, and caps with them', { faults });
    loggedFaults = found;
    return faults.length > 0;
  };

  metrics.watch({
    ready: isReady,
    snapshotVersion: () => catalog.current()?.version ?? 0,
    snapshotAgeSeconds: () => (Date.now() - (catalog.current()?.loadedAtMs ?? Date.now())) / 1000,
    snapshotQuarantinedRows: () => {
      const rows: Record<string, number> = {};
      for (const { table } of catalog.current()?.quarantined ?? []) rows[table] = (rows[table] ?? 0) + 1;
      return rows;
    },
    redisUp: () => link.up,
    redisShardsDown: () => shards.filter((shard) => !link.upOf(shard)).length,
    redisRoundTripSeconds: () => link.roundTripSeconds,
    postgresRoundTripSeconds: async () => {
      const begun = performance.now();
      await knex.raw('select 1');
      return (performance.now() - begun) / 1000;
    },
    postgresUp: () =>
      knex.raw('select 1').then(
        () => true,
        () => false,
      ),
    postgresWaiting: () => waitingFor(knex) + waitingFor(promptKnex),
    redisMisconfigured: isMisconfigured,
    streamLagEntries: () => sum((shard) => redis.xlen(keys.events(shard))),
    pendingHits: pending.count,
    deadEvents: createDeadEvents({ knex }).count,
    foldHorizonAgeSeconds: async () => {
      const horizons = await Promise.all(shards.map(async (shard) => Number(await redis.get(keys.horizon(shard)))));
      return (Date.now() - Math.min(...horizons)) / 1000;
    },
    unsettledReservations: createUnsettledCount({ accounts, currentSnapshot: catalog.current }),
  });
  return async () => {
    // An unavailable Redis is reported elsewhere; the first scrape that reaches it checks its
    // settings.
    await isMisconfigured().catch(() => undefined);
  };
};

const waitingFor = (knex: Stores['knex']): number =>
  (knex.client as { readonly pool: { numPendingAcquires(): number } }).pool.numPendingAcquires();
