import { Redis } from 'ioredis';
import knexFactory from 'knex';
import type { Knex } from 'knex';
import { createCatalog } from '../../src/catalog/catalog.ts';
import type { Catalog, CatalogObserver } from '../../src/catalog/catalog.ts';
import { PACINGS } from '../../src/catalog/model/choices.ts';
import { createCatalogStore } from '../../src/catalog/postgres/catalog-store.ts';
import type { CatalogStore } from '../../src/catalog/postgres/catalog-store.ts';
import { createCatalogLoader } from '../../src/catalog/worker/catalog-loader.ts';
import { createChangeNotices } from '../../src/catalog/change-notice.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { PATIENCE_MS } from '../../testkit/until.ts';

let knex: Knex;
let redisUrl: string;
const open: Catalog[] = [];

beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: await testDatabase(), pool: { min: 0, max: 6 } });
  redisUrl = await testRedisUrl();
});
beforeEach(async () => {
  await knex.raw('truncate publishers, placements, campaigns, line_items, creatives restart identity cascade');
  await knex('publishers').insert({ name: 'p', domain: 'p.example', api_key_hash: 'h' });
  await knex('placements').insert({ id: 'top', publisher_id: 1, width: 300, height: 250, formats: ['html'] });
  await knex('campaigns').insert({ publisher_id: 1, name: 'c', start_at: '2026-01-01', end_at: '2999-01-01' });
  await book(1);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((catalog) => catalog.stop()));
});
afterAll(async () => {
  await knex.destroy();
});

const book = async (cpmMicros: number): Promise<void> => {
  const [row] = await knex('line_items')
    .insert({ campaign_id: 1, name: 'l', active: true, start_at: '2026-01-01', end_at: '2999-01-01', cpm_micros: cpmMicros * 1_000_000 })
    .returning<{ id: number }[]>('id');
  await knex('creatives').insert({ placement_id: 'top', line_item_id: row!.id, format: 'html', content: 'ad' });
};

interface Replica {
  readonly store?: CatalogStore;
  readonly redis?: string;
  readonly name?: string;
  readonly versionPollMs?: number;
  readonly noticePollMs?: number;
  readonly reloadIntervalMs?: number;
  readonly observer?: CatalogObserver;
}

const replica = ({
  store = createCatalogStore({ knex }),
  redis = redisUrl,
  name = 'test',
  versionPollMs = 60_000,
  noticePollMs = 60_000,
  ...rest
}: Replica = {}): Catalog => {
  const notices = createChangeNotices({
    connect: () => new Redis(redis, { maxRetriesPerRequest: 0, enableOfflineQueue: false, retryStrategy: () => 50 }),
    name,
    pollIntervalMs: noticePollMs,
  });
  const loader = createCatalogLoader({ store, dimensions: new Map() });
  const catalog = createCatalog({ store, loader, notices, reloadIntervalMs: 86_400_000, versionPollMs, ...rest });
  open.push(catalog);
  return catalog;
};

const candidates = (catalog: Catalog): number => catalog.current()?.slot(1, 'top').direct?.size ?? 0;

const eventually = async (holds: () => boolean, withinMs = PATIENCE_MS): Promise<void> => {
  const deadline = Date.now() + withinMs;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`did not come true within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

test('nothing is served before the first load, and everything booked after it', async () => {
  const catalog = replica();
  expect(catalog.current()).toBeUndefined();
  await catalog.start();
  expect(candidates(catalog)).toBe(1);
  expect(catalog.current()?.userHashKey).toHaveLength(64);
});

test('a reload serves what was written before the call, and leaves the old snapshot unchanged', async () => {
  const catalog = replica();
  await catalog.start();
  const before = catalog.current();
  await book(2);
  await catalog.reload();
  expect(candidates(catalog)).toBe(2);
  expect(before?.slot(1, 'top').direct?.size).toBe(1);
});

test('reloads during a load share the next load, which reads what was written before them', async () => {
  const real = createCatalogStore({ knex });
  let reads = 0;
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  const readAll: CatalogStore['readAll'] = async (use) => {
    reads++;
    const result = await real.readAll(use);
    await held;
    return result;
  };
  const catalog = replica({ store: { ...real, readAll } });
  const first = catalog.reload();
  await eventually(() => reads === 1);
  await book(2);
  const others = Array.from({ length: 20 }, () => catalog.reload());
  letGo();
  await Promise.all([first, ...others]);
  expect(reads).toBe(2);
  expect(candidates(catalog)).toBe(2);
});

test('a failed load rejects, and the last snapshot serves until Postgres is back', async () => {
  const real = createCatalogStore({ knex });
  const failures: string[] = [];
  let away = false;
  const catalog = replica({
    store: { ...real, readAll: (use) => (away ? Promise.reject(new Error('away')) : real.readAll(use)) },
    observer: { loadFailed: (error) => failures.push(error.message) },
  });
  await catalog.start();
  away = true;
  await expect(catalog.reload()).rejects.toThrow('away');
  expect(candidates(catalog)).toBe(1);
  expect(failures).toEqual(['away']);
  away = false;
  await book(2);
  await catalog.reload();
  expect(candidates(catalog)).toBe(2);
});

test('a replica that starts without Postgres serves once Postgres is available', async () => {
  const real = createCatalogStore({ knex });
  let away = true;
  const gone = <T>(work: () => Promise<T>) => (away ? Promise.reject<T>(new Error('away')) : work());
  const catalog = replica({
    versionPollMs: 50,
    store: { readAll: (use) => gone(() => real.readAll(use)), readVersion: () => gone(real.readVersion) },
  });
  await catalog.start();
  expect(catalog.current()).toBeUndefined();
  away = false;
  await eventually(() => candidates(catalog) === 1);
});

test('a reload on one replica is followed by the others within a second', async () => {
  const here = replica();
  const there = replica();
  await Promise.all([here.start(), there.start()]);
  await book(2);
  await here.reloadEverywhere();
  expect(candidates(here)).toBe(2);
  await eventually(() => candidates(there) === 2);
});

test('when Redis loses its data a replica reads the catalog again only if Postgres has another one', async () => {
  const real = createCatalogStore({ knex });
  let loads = 0;
  let looks = 0;
  const store: CatalogStore = {
    ...real,
    readAll: (use) => {
      loads++;
      return real.readAll(use);
    },
    readVersion: () => {
      looks++;
      return real.readVersion();
    },
  };
  const [redis, version] = [new Redis(redisUrl), 'lossy:version'];
  await redis.set(version, 9);
  const catalog = replica({ store, name: 'lossy', noticePollMs: 20 });
  await catalog.start();
  await redis.del(version);
  await eventually(() => looks === 1);
  expect(loads).toBe(1);
  const before = catalog.current();
  await redis.set(version, 3);
  await eventually(() => catalog.current() !== before);
  expect(loads).toBe(2);
  await book(2);
  await redis.del(version);
  await eventually(() => candidates(catalog) === 2);
  await redis.quit();
});

test('without Redis other replicas follow a write by the version in Postgres', async () => {
  const catalog = replica({ redis: 'redis://127.0.0.1:1', versionPollMs: 100 });
  await catalog.start();
  await book(2);
  await eventually(() => candidates(catalog) === 2);
  await expect(catalog.reloadEverywhere()).resolves.toBeUndefined();
});

test('a deletion in plain SQL cascades and is followed too', async () => {
  const catalog = replica({ versionPollMs: 100 });
  await catalog.start();
  await knex.raw('delete from publishers');
  await eventually(() => catalog.current()?.publishers.size === 0);
  expect(catalog.current()).toMatchObject({ quarantinedCount: 0 });
  expect(catalog.current()?.creatives.size).toBe(0);
});

test('the reload interval alone brings a replica up to date', async () => {
  const catalog = replica({ reloadIntervalMs: 100 });
  await catalog.start();
  await book(2);
  await eventually(() => candidates(catalog) === 2);
});

test('with a reload interval of 0 only a request reloads, and one that failed is repeated', async () => {
  const real = createCatalogStore({ knex });
  let reads = 0;
  let away = false;
  const catalog = replica({
    reloadIntervalMs: 0,
    versionPollMs: 20,
    store: {
      readAll: (use) => (away ? Promise.reject(new Error('away')) : real.readAll(use)),
      readVersion: () => {
        reads++;
        return real.readVersion();
      },
    },
  });
  await catalog.start();
  await book(2);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect([reads, candidates(catalog)]).toEqual([0, 1]);
  away = true;
  await expect(catalog.reloadEverywhere()).rejects.toThrow('away');
  await eventually(() => reads > 0);
  away = false;
  await eventually(() => candidates(catalog) === 2);
});

test('a row set aside is reported once over all loads, and again for another reason', async () => {
  const reported: string[] = [];
  const catalog = replica({
    observer: { quarantined: (rows) => reported.push(...rows.map(({ table, id, reason }) => `${table} ${id} ${reason}`)) },
  });
  await catalog.start();
  await knex('line_items').where({ id: 1 }).update({ pacing: 'sometimes' });
  await catalog.reload();
  await catalog.reload();
  expect(reported).toEqual([
    `line_items 1 /pacing must be one of ${PACINGS.join(', ')}`,
    'creatives 1 belongs to line_items 1, which is set aside',
  ]);
  expect(candidates(catalog)).toBe(0);
  await knex('line_items').where({ id: 1 }).update({ pacing: 'Even', rate_limit: Number.NaN });
  await catalog.reload();
  expect(reported).toContain('line_items 1 /rate_limit must be a number or null');
});

test('one load is consistent while another connection writes', async () => {
  const catalog = replica();
  let writing = true;
  const writer = (async () => {
    while (writing)
      await knex.transaction(async (transaction) => {
        const [row] = await transaction('campaigns')
          .insert({ publisher_id: 1, name: 'w', start_at: '2026-01-01', end_at: '2999-01-01' })
          .returning<{ id: number }[]>('id');
        await transaction('line_items').insert({
          campaign_id: row!.id,
          name: 'w',
          active: true,
          start_at: '2026-01-01',
          end_at: '2999-01-01',
          cpm_micros: 1000,
        });
      });
  })();
  for (let i = 0; i < 20; i++) {
    await catalog.reload();
    // One line item to a campaign, always: a torn read would see a campaign or a line item alone.
    expect(catalog.current()?.campaigns.size).toBe(catalog.current()?.lineItems.size);
    expect(catalog.current()?.quarantinedCount).toBe(0);
  }
  writing = false;
  await writer;
});
