import knexFactory, { type Knex } from 'knex';
import { createDeadEvents } from '../../src/events/postgres/dead-events.ts';
import { createEventStore } from '../../src/events/postgres/event-store.ts';
import { replayDeadEvents } from '../../src/events/replay-dead-events.ts';
import type { Hit } from '../../src/ledger/hit.ts';
import { createLedgerKeys } from '../../src/ledger/ledger-keys.ts';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { NO_LIMITS } from '../../src/ledger/limits.ts';
import { createAccountReader } from '../../src/ledger/read/read-accounts.ts';
import type { RedisClient } from '../../src/redis/redis-client.ts';
import { patientRedis } from '../../testkit/patient-redis.ts';
import type { RedisLink } from '../../src/redis/redis-link.ts';
import { createFold, type Fold } from '../../src/tracking/fold-hits.ts';
import { createPendingHits, type PendingHits } from '../../src/tracking/pending-hits.ts';
import { cpuMicrosIn } from '../../testkit/process-cpu.ts';
import { eventually } from '../../testkit/until.ts';
import { eventOf } from '../events/events.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

const SHARDS = 4;
const keys = createLedgerKeys(SHARDS);

let knex: Knex;
let redis: RedisClient;
let pending: PendingHits;
let down: Set<number>;
let link: RedisLink;
let ledger: Ledger;
let fold: Fold | undefined;

beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: await testDatabase(), pool: { min: 0, max: 6 } });
  pending = createPendingHits({ knex });
  redis = await patientRedis(await testRedisUrl());
});
beforeEach(async () => {
  await redis.flushdb();
  await knex.raw('truncate pending_hits, dead_events');
  down = new Set();
  link = { up: true, upOf: (shard) => !down.has(shard), suspect: () => undefined, roundTripSeconds: 0, stop: () => undefined };
  ledger = createLedger({ redis, link, keys, tokenTtlMs: 1_800_000, pid: { kp: 0.3, ki: 0.05, kd: 0.1 } });
});
afterEach(async () => {
  await fold?.stop();
  fold = undefined;
});
afterAll(async () => {
  redis.disconnect();
  await knex.destroy();
});

const limits = () => ({ limits: NO_LIMITS, expiresAtMs: Date.now() + 86_400_000 });
const hitOf = (publisherId: number, tokenId?: string): Hit =>
  eventOf({ publisherId, tokenExpS: Math.ceil(Date.now() / 1000) + 600, ...(tokenId === undefined ? {} : { tokenId }) }, {}, Date.now())
    .hit;
const store = (hit: Hit) => pending.store(hit, keys.shardOf(hit.ad.publisherId));
const impressions = async (publisherId: number) =>
  (await createAccountReader({ redis, keys }).lineItems(publisherId, [3]))[0]?.totalImpressions ?? 0;
const horizons = () => Promise.all(Array.from({ length: SHARDS }, async (_, shard) => Number(await redis.get(keys.horizon(shard)))));

const start = (changes: Partial<Parameters<typeof createFold>[0]> = {}) => {
  const faults: Error[] = [];
  const seen = { folded: 0, settled: [] as string[], faults, dead: [] as string[] };
  fold = createFold({
    ...{ redis, link, keys, ledger, pending, hitLimitsOf: limits, everyMs: 20 },
    onFolded: (hits) => (seen.folded += hits),
    onSettled: ({ ad }, { outcome }) => seen.settled.push(`${ad.tokenId} ${outcome}`),
    onFailure: (fault) => faults.push(fault),
    onDead: ({ source, shard, reason }) => seen.dead.push(`${source} of shard ${shard}: ${reason}`),
    ...changes,
  });
  fold.start();
  return seen;
};

test('a hit that cannot be folded keeps the horizon of its own shard only, and the hits after it are folded', async () => {
  await store(hitOf(1, 'poisoned'));
  for (const publisherId of [1, 1, 2]) await store(hitOf(publisherId));
  const { faults } = start({
    hitLimitsOf: (hit) => {
      if (hit.ad.tokenId === 'poisoned') throw new Error('no limits');
      return limits();
    },
  });
  await eventually(async () => expect([await impressions(1), await impressions(2), await pending.count()]).toEqual([2, 1, 1]));
  const before = await horizons();
  await eventually(async () => expect((await horizons())[2]).toBeGreaterThan(before[2]!));
  const [zero, one, two, three] = await horizons();
  expect(one).toBe(0);
  expect(Math.min(zero!, two!, three!)).toBeGreaterThan(Date.now() - 5_000);
  expect(faults[0]?.message).toBe('no limits');
});

test('a shard whose node is unavailable keeps its horizon and its hits; other shards advance', async () => {
  down.add(1);
  for (const publisherId of [1, 2]) await store(hitOf(publisherId));
  start();
  await eventually(async () => expect([await impressions(2), await pending.count()]).toEqual([1, 1]));
  await eventually(async () => expect((await horizons()).map((horizon) => horizon > 0)).toEqual([true, false, true, true]));
  down.delete(1);
  await eventually(async () => expect([await impressions(1), await pending.count()]).toEqual([1, 0]));
  await eventually(async () => expect((await horizons())[1]).toBeGreaterThan(0));
});

test('a hit that Redis had counted without a reply is reported as settled, so that its billing notice is sent', async () => {
  const hit = hitOf(1, 'unheard');
  await ledger.settle(hit, limits());
  await store(hit);
  const { settled } = start();
  await eventually(async () => expect(await pending.count()).toBe(0));
  expect([settled, await impressions(1)]).toEqual([['unheard duplicate'], 1]);
});

test('a row that is no valid hit becomes a dead event, alone: the hits beside it are folded and the horizon of its shard advances', async () => {
  const good = hitOf(1);
  const bad = [
    '"text"',
    {},
    { ...good, ad: { ...good.ad, tokenExpS: 1e300 } },
    { ...good, ad: { ...good.ad, day: 1e9 } },
    { ...good, ad: { ...good.ad, priceMicros: '1' } },
    { ...good, atMs: null },
  ];
  await store(hitOf(1));
  for (const [i, payload] of bad.entries())
    await knex('pending_hits').insert({
      jti: `bad-${i}`,
      kind: 'impression',
      shard: 1,
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    });
  await store(hitOf(1));
  const seen = start();
  await eventually(async () => expect([await impressions(1), await pending.count(), seen.dead.length]).toEqual([2, 0, 6]));
  await eventually(async () => expect((await horizons())[1]).toBeGreaterThan(Date.now() - 5_000));
  expect(seen.dead).toEqual([
    'hits of shard 1: it is not a hit',
    'hits of shard 1: it is not a hit',
    'hits of shard 1: the hit has no valid tokenExpS',
    'hits of shard 1: the hit has no valid day',
    'hits of shard 1: the hit has no valid priceMicros',
    'hits of shard 1: the hit has no valid atMs',
  ]);
  expect(seen.faults).toEqual([]);

  // The operator corrects one of them; the command stores it again, and it is folded once.
  const deadEvents = createDeadEvents({ knex });
  await knex('dead_events')
    .where('reason', 'like', '%day')
    .update({ payload: JSON.stringify([JSON.stringify(good)]) });
  const replay = () =>
    replayDeadEvents({
      deadEvents,
      store: createEventStore({ knex }),
      restoreHit: pending.restore,
      toSink: () => Promise.reject(new Error('none of them is of a sink')),
      dryRun: false,
    });
  const { stored, refused } = await replay();
  expect([stored, refused.map(({ source }) => source)]).toEqual([1, Array(5).fill('hits')]);
  await eventually(async () => expect([await impressions(1), await pending.count()]).toEqual([3, 0]));
  expect(await deadEvents.count()).toBe(5);
});

const storeMany = async (count: number, shards: number): Promise<void> => {
  await knex.raw(
    `insert into pending_hits (jti, kind, event_type, invalid_reason, shard, payload)
     select 'many-' || i, 'impression', '', '', i % ?, jsonb_set(jsonb_set(?::jsonb, '{ad,tokenId}', to_jsonb('many-' || i)),
            '{ad,publisherId}', to_jsonb(i % ?)) from generate_series(1, ?) i`,
    [shards, JSON.stringify(hitOf(1)), shards, count],
  );
};

/** CPU time of this process and of the backends of Postgres that work for it, which may run on another machine. */
const cpuMsSoFar = async (): Promise<number> => {
  const { rows } = await knex.raw<{ rows: readonly { readonly stat: string }[] }>(
    `select pg_read_file(format('/proc/%s/stat', pid)) as stat from pg_stat_activity where datname = current_database()`,
  );
  const { user, system } = process.cpuUsage();
  return rows.reduce((sum, { stat }) => sum + cpuMicrosIn(stat), user + system) / 1000;
};

test('catch-up is linear: four times the hits cost about four times as much CPU time, in transactions of a page each', async () => {
  const catchUp = async (count: number): Promise<number> => {
    await storeMany(count, 1);
    const begunMs = await cpuMsSoFar();
    const seen = start({ hitLimitsOf: limits });
    await eventually(() => expect(seen.folded).toBe(count));
    const costMs = (await cpuMsSoFar()) - begunMs;
    await fold?.stop();
    await redis.flushdb();
    return costMs;
  };
  await catchUp(2_000);
  const [less, more] = [await catchUp(5_000), await catchUp(20_000)];
  // Quadratic catch-up would cost 16 times as much.
  expect(more / less).toBeLessThan(8);
});

test('a pass with nothing to fold costs less than 5 ms of CPU time, with 400 partitions of events', async () => {
  await knex.raw(`do $$ begin for i in 0..399 loop
    execute format('create table if not exists events_%s partition of events for values from (%L) to (%L)',
      to_char(date '2024-01-01' + i, 'YYYYMMDD'), date '2024-01-01' + i, date '2024-01-01' + i + 1); end loop; end $$`);
  const passes = async (): Promise<void> => {
    for (let i = 0; i < 50; i++) expect((await pending.waitingShards(16)).size).toBe(0);
  };
  // The first passes read the catalog of Postgres.
  await passes();
  const begunMs = await cpuMsSoFar();
  await passes();
  expect(((await cpuMsSoFar()) - begunMs) / 50).toBeLessThan(5);
});
