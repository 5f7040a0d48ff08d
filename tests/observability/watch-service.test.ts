import { Redis } from 'ioredis';
import knexFactory from 'knex';
import type { Catalog } from '../../src/catalog/catalog.ts';
import type { Allowances } from '../../src/ledger/allowances/allowances.ts';
import { createLedgerKeys } from '../../src/ledger/ledger-keys.ts';
import { createLog } from '../../src/observability/log.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import type { Stores } from '../../src/replica/connect-stores.ts';
import { metricLabels } from '../../src/replica/metric-labels.ts';
import { watchService } from '../../src/replica/watch-service.ts';
import { createPendingHits } from '../../src/tracking/pending-hits.ts';
import { startFaultProxy } from '../../testkit/start-fault-proxy.ts';
import { eventually } from '../../testkit/until.ts';
import { eventOf } from '../events/events.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

test('the ages of what waits stay numbers and grow when a shard does not answer', async () => {
  const proxy = await startFaultProxy(await testRedisUrl());
  const redis = new Redis(proxy.url);
  const knex = knexFactory({ client: 'pg', connection: await testDatabase() });
  try {
    const keys = createLedgerKeys(2);
    const down = new Set<number>();
    const link = {
      up: true,
      upOf: (shard: number) => !down.has(shard),
      suspect: () => undefined,
      roundTripSeconds: 0,
      stop: () => undefined,
    };
    const stores = {
      knex,
      promptKnex: knex,
      redis,
      backgroundRedis: redis,
      patienceMs: 100,
      link,
      backgroundLink: link,
      keys,
    } as unknown as Stores;
    const metrics = createMetrics(metricLabels([], []));
    const pending = createPendingHits({ knex });
    const catalog = { current: () => undefined } as unknown as Catalog;
    const catalogWorker = { up: true, load: () => Promise.reject(new Error('not called')), stop: () => Promise.resolve() };
    const readiness = { draining: false, waitingFor: '', notReadyBecause: () => undefined };
    const allowances = { outstanding: 0 } as unknown as Allowances;
    const replicas = { tokenTtls: () => 1 };
    watchService({
      metrics,
      log: createLog({ level: 'error' }),
      catalog,
      catalogWorker,
      stores,
      pending,
      allowances,
      replicas,
      readiness,
      bookkeeping: { rebuildingShards: () => 0 },
    });
    const scrapeOnce = async () => {
      const { body } = await metrics.render();
      const of = (name: string) => Number(new RegExp(`^adserver_${name} (\\S+)$`, 'm').exec(body)?.[1]);
      return {
        lag: of('stream_lag_entries'),
        stream: of('stream_age_seconds'),
        hit: of('pending_hit_age_seconds'),
        fold: of('fold_horizon_age_seconds'),
      };
    };
    /** A gauge that a busy machine does not read in time is not a number either, but one whose shard is not bounded never is. */
    const scrape = async () => {
      let found: Awaited<ReturnType<typeof scrapeOnce>> | undefined;
      await eventually(async () => {
        found = await scrapeOnce();
        expect(Object.values(found)).not.toContainEqual(NaN);
      });
      return found!;
    };

    const hourAgo = Date.now() - 3_600_000;
    await redis.mset(keys.horizon(0), Date.now(), keys.horizon(1), hourAgo);
    expect(await scrape()).toMatchObject({ lag: 0, stream: 0, hit: 0 });
    await redis.xadd(keys.events(1), `${hourAgo}-0`, 'e', '{}');
    await pending.store({ ...eventOf().hit, ad: { ...eventOf().hit.ad, tokenExpS: Date.now() / 1000 + 60 } }, 1);
    await knex('pending_hits').update({ stored_at: new Date(hourAgo) });
    const before = await scrape();
    for (const ageSeconds of [before.stream, before.hit, before.fold]) expect(ageSeconds).toBeGreaterThan(3_599);
    down.add(1);
    const without = await scrape();
    expect(without).toEqual({ lag: 1, stream: expect.any(Number), hit: expect.any(Number), fold: expect.any(Number) });
    for (const [name, ageSeconds] of Object.entries(before))
      expect(without[name as keyof typeof before]).toBeGreaterThanOrEqual(ageSeconds);
    // A shard that hangs is as good as one that is known to be unavailable.
    down.clear();
    proxy.set({ kind: 'blackhole' });
    expect((await scrape()).fold).toBeGreaterThan(3_599);
  } finally {
    redis.disconnect();
    await proxy.close();
    await knex.destroy();
  }
});
