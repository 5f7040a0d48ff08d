import { createDeadEvents } from '../events/postgres/dead-events.ts';
import { readReconciliation } from '../events/postgres/reconciliation.ts';
import type { Stores } from './connect-stores.ts';
import { createAccountReader } from '../ledger/read/read-accounts.ts';
import { createReadUnstored, entryMs } from '../ledger/read/oldest-unstored.ts';
import { createSetAsideReader } from '../ledger/read/set-aside-accounts.ts';
import { answerWithin } from '../redis/answer-within.ts';
import { createErrorGauges } from '../forecast/errors/error-gauges.ts';
import { createAlertStore } from '../alerts/alert-store.ts';
import { redisSettingsFaults } from '../redis/redis-settings.ts';
import { createAccountTotals } from './account-totals.ts';
import type { RunningReplicas } from './running-replicas.ts';
import type { Books } from './compose-books.ts';
import type { Delivery } from './compose-delivery.ts';
import type { Foundation } from './lay-foundation.ts';
import type { Readiness } from './lifecycle.ts';

export type WatchedService = Pick<Foundation, 'metrics' | 'log' | 'stores'> &
  Pick<Delivery, 'catalog' | 'catalogWorker' | 'pending' | 'allowances'> & {
    readonly replicas: Pick<RunningReplicas, 'tokenTtls'>;
    readonly readiness: Readiness;
    readonly bookkeeping: Pick<Books, 'rebuildingShards'>;
  };

/** Below the time limit of a gauge. */
const SHARD_TIMEOUT_MS = 300;

/**
 * Sets the readers of the gauges.
 * @returns checks the settings of Redis at start; a fault is logged when it is first seen, here or
 *   at a scrape
 */
export const watchService = (service: WatchedService): (() => Promise<void>) => {
  const { metrics, log, catalog, catalogWorker, stores, pending, allowances, replicas, readiness, bookkeeping } = service;
  const { knex, promptKnex, backgroundRedis: redis, link, backgroundLink, keys } = stores;
  const shards = Array.from({ length: keys.shards }, (_, shard) => shard);
  /**
   * Reads one number of each shard. Of a shard that does not answer it returns the last one known,
   * so that the gauge stays a number: an alert on NaN never fires.
   */
  const readShards = (read: (shard: number) => Promise<number>, first: number) => {
    const known = shards.map(() => first);
    const refresh = async (shard: number): Promise<void> => {
      if (!backgroundLink.upOf(shard)) return;
      known[shard] = await answerWithin(SHARD_TIMEOUT_MS, read(shard)).catch(() => known[shard] ?? first);
    };
    return async (): Promise<readonly number[]> => {
      await Promise.all(shards.map(refresh));
      return known;
    };
  };
  const readUnstored = createReadUnstored({ redis, keys });
  const streamLengths = readShards(async (shard) => (await readUnstored(shard)).entries, 0);
  const oldestEvents = readShards(async (shard) => entryMs((await readUnstored(shard)).oldest), Infinity);
  const startedAtMs = Date.now();
  const horizons = readShards(async (shard) => Number((await redis.get(keys.horizon(shard))) ?? startedAtMs), startedAtMs);
  const totals = createAccountTotals(createAccountReader({ redis, keys }), catalog.current);

  let loggedFaults = '';
  const isMisconfigured = async (): Promise<boolean> => {
    const faults = await redisSettingsFaults(redis);
    const found = faults.join('; ');
    if (found !== loggedFaults && found !== '') log.warn('Redis is set up so that it can lose counters, and caps with them', { faults });
    loggedFaults = found;
    return faults.length > 0;
  };

  const setAside = createSetAsideReader({ redis, keys });
  let loggedSetAside = 0;
  const countSetAside = async (): Promise<number> => {
    const count = await setAside.count();
    if (count > loggedSetAside)
      log.error('Accounts are set aside and refuse every reservation: repair them', {
        count,
        accounts: (await setAside.list()).slice(0, 20),
      });
    loggedSetAside = count;
    return count;
  };

  const errorsOf = createErrorGauges(knex);
  metrics.watch({
    ready: () => readiness.notReadyBecause() === undefined,
    snapshotVersion: () => catalog.current()?.version ?? 0,
    snapshotAgeSeconds: () => (link.nowMs(0) - (catalog.current()?.loadedAtMs ?? link.nowMs(0))) / 1000,
    snapshotQuarantinedRows: () => {
      const rows: Record<string, number> = {};
      for (const { table } of catalog.current()?.quarantined ?? []) rows[table] = (rows[table] ?? 0) + 1;
      return rows;
    },
    catalogWorkerUp: () => catalogWorker.up,
    redisUp: () => link.up,
    redisShardsDown: () => shards.filter((shard) => !link.upOf(shard)).length,
    redisRoundTripSeconds: () => link.roundTripSeconds,
    redisContested: () => link.foreignClaim !== undefined,
    clockOffsetSeconds: () => -link.clockOffsetMs / 1000,
    tokenTtls: replicas.tokenTtls,
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
    streamLagEntries: async () => (await streamLengths()).reduce((total, length) => total + length, 0),
    streamAgeSeconds: async () => ageSeconds(await oldestEvents()),
    pendingHits: pending.count,
    accountsSetAside: countSetAside,
    booksRebuilding: bookkeeping.rebuildingShards,
    allowancesOutstanding: () => allowances.outstanding,
    alerts: createAlertStore({ knex }).openByKind,
    forecastError: errorsOf('line_item', 'mean_error'),
    forecastHeld: errorsOf('line_item', 'held'),
    trafficForecastError: errorsOf('placement', 'mean_error'),
    trafficForecastHeld: errorsOf('placement', 'held'),
    pendingHitAgeSeconds: pending.ageSeconds,
    deadEvents: createDeadEvents({ knex }).count,
    driftCounts: async () => (await readReconciliation(knex, 'counts')).differences,
    driftAccounts: async () => (await readReconciliation(knex, 'accounts')).differences,
    reconciledAgeSeconds: async () => (await readReconciliation(knex, 'accounts')).ageSeconds ?? ageSeconds([startedAtMs]),
    foldHorizonAgeSeconds: async () => ageSeconds(await horizons()),
    unsettledReservations: async () => (await totals()).unsettled,
    held: async () => inUnits((await totals()).heldMicros),
    spendToday: async () => inUnits((await totals()).spentTodayMicros),
  });
  return async () => {
    // An unavailable Redis is reported elsewhere; the first scrape that reaches it checks its
    // settings.
    await isMisconfigured().catch(() => undefined);
  };
};

/** Age of the oldest of these times (epoch ms). */
const ageSeconds = (timesMs: readonly number[]): number => Math.max(0, Date.now() - Math.min(...timesMs)) / 1000;

const waitingFor = (knex: Stores['knex']): number =>
  (knex.client as { readonly pool: { numPendingAcquires(): number } }).pool.numPendingAcquires();

/** From micros. */
const inUnits = (byCurrency: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(byCurrency).map(([currency, micros]) => [currency, micros / 1e6]));
