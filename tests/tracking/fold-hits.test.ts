import knexFactory, { type Knex } from 'knex';
import { createEventWriter } from '../../src/events/event-writer.ts';
import { createEventStore } from '../../src/events/postgres/event-store.ts';
import type { Hit } from '../../src/ledger/hit.ts';
import { createLedgerKeys } from '../../src/ledger/ledger-keys.ts';
import { createLedger } from '../../src/ledger/ledger.ts';
import { NO_LIMITS } from '../../src/ledger/limits.ts';
import { createAccountReader } from '../../src/ledger/read/read-accounts.ts';
import type { RedisClient } from '../../src/redis/redis-client.ts';
import { patientRedis } from '../../testkit/patient-redis.ts';
import { createFold } from '../../src/tracking/fold-hits.ts';
import { createPendingHits } from '../../src/tracking/pending-hits.ts';
import { eventually } from '../../testkit/until.ts';
import { atEnd } from '../setup/at-end.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

const LONG_MS = 20 * 60_000;

let knex: Knex;
let redis: RedisClient;
beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: await testDatabase() });
  redis = await patientRedis(await testRedisUrl());
});
afterAll(async () => {
  redis.disconnect();
  await knex.destroy();
});

const fail = (...details: readonly unknown[]): never => {
  throw new Error(details.map(String).join(' '));
};

const openLedger = () => {
  const keys = createLedgerKeys(1);
  const link = { up: true, upOf: () => true, suspect: fail, roundTripSeconds: 0, stop: () => undefined };
  const ledger = createLedger({ redis, link, keys, tokenTtlMs: 1_800_000, pid: { kp: 0.3, ki: 0.05, kd: 0.1 } });
  return { keys, link, ledger, pending: createPendingHits({ knex }) };
};

test.each([
  ['of an ad of these books', -Infinity, 90_000],
  ['of an ad that was served before Redis lost its data', 30_000, 90_000],
  ['by a fold that had no answer, after the end of the token', -Infinity, LONG_MS - 6 * 60_000],
  ['by a fold that had no answer, after Redis lost its data', 30_000, LONG_MS - 6 * 60_000],
])(
  'does not count a hit again that Redis counted without an answer and that stayed in Postgres until its token was forgotten, %s',
  async (_, sinceServedMs, countedAfterMs) => {
    await redis.flushdb();
    await knex.raw('truncate pending_hits, events');
    const { keys, link, ledger, pending } = openLedger();
    const accounts = createAccountReader({ redis, keys });
    const counted = async () => (await accounts.lineItems(1, [3]))[0]?.totalImpressions;
    const atMs = Date.now() - LONG_MS;
    const ad = {
      ...{ tokenId: 'unsettled', publisherId: 1, campaignId: 2, lineItemId: 3, creativeId: 4, placementId: 'top', priceMicros: 1000 },
      ...{
        billsOn: 'impression' as const,
        day: Math.floor(atMs / 86_400_000),
        holdEndMs: 0,
        tokenExpS: Math.ceil(Date.now() / 1000) + 600,
      },
      ...{ userHash: null, billingNotice: false, servedAtMs: atMs },
    };
    const hit: Hit = { ad, kind: 'impression', eventType: '', invalidReason: '', atMs, country: null, device: null };
    const limits = { limits: NO_LIMITS, expiresAtMs: Date.now() + 86_400_000 };

    // Postgres stored the hit, because Redis's answer was lost; later the page sent it again, or it was folded, and Redis
    // counted it. Its event waited in the stream until the ledger had forgotten the token.
    await ledger.settle(hit, limits);
    const [, fields] = (await redis.xrange(keys.events(0), '-', '+'))[0]!;
    await redis.del(keys.events(0), keys.seen(1, 'unsettled'));
    await redis.xadd(keys.events(0), `${atMs + countedAfterMs}-0`, ...fields);
    await pending.store(hit, 0);
    const endedS = Math.ceil(atMs / 1000) + 600;
    await knex('pending_hits').update({ stored_at: new Date(atMs), payload: { ...hit, ad: { ...ad, tokenExpS: endedS } } });

    let folded = 0;
    const hitLimitsOf = () => limits;
    const fold = createFold({
      redis,
      link,
      keys,
      ledger,
      pending,
      booksSinceMs: () => Math.max(atMs + sinceServedMs, 0),
      hitLimitsOf,
      everyMs: 20,
      onFolded: (hits) => (folded += hits),
      onSettled: fail,
      onFailure: fail,
      onDead: fail,
    });
    fold.start();
    atEnd(() => fold.stop());
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect([await counted(), await pending.count(), folded]).toEqual([1, 1, 0]);

    const store = createEventStore({ knex });
    const eventWriter = createEventWriter({
      redis,
      link,
      keys,
      store,
      deadEvents: { add: fail },
      consumer: 'test',
      onFailure: fail,
      onDead: fail,
    });
    eventWriter.start();
    atEnd(() => eventWriter.stop());
    await eventually(async () => expect(await pending.count()).toBe(0));
    await eventWriter.stop();
    await fold.stop();
    expect([await counted(), folded]).toEqual([1, 0]);
    expect(await knex('events').where({ jti: 'unsettled' })).toHaveLength(1);
  },
);

test.each([
  ['under judgement, or just judged: what is decided is on its way to its row', 0, { folded: 0, settled: 0 }],
  ['lost under judgement with the data of Redis: it is settled again', Date.now(), { folded: 1, settled: 1 }],
])('a click that waits long after the end of its token, %s', async (_, booksSinceMs, expected) => {
  await redis.flushdb();
  await knex.raw('truncate pending_hits, events');
  const { keys, link, ledger, pending } = openLedger();
  const atMs = Date.now() - 2 * LONG_MS;
  const ad = {
    ...{ tokenId: 'judged', publisherId: 1, campaignId: 2, lineItemId: 3, creativeId: 4, placementId: 'top', priceMicros: 1000 },
    ...{ billsOn: 'click' as const, day: Math.floor(atMs / 86_400_000), holdEndMs: 0, tokenExpS: Math.ceil((atMs + LONG_MS) / 1000) },
    ...{ userHash: null, billingNotice: false, servedAtMs: atMs },
  };
  const hit: Hit = { ad, kind: 'click', eventType: '', invalidReason: '', atMs: atMs + 60_000, country: null, device: null };
  await createEventStore({ knex }).append([{ hit, reason: 'provisional', atMs: hit.atMs, billedMicros: 0 }]);
  // Redis was away for the click's second request, a moment after the first.
  await pending.restore(hit, 0);
  const found = { folded: 0, settled: 0 };
  const fold = createFold({
    ...{ redis, link, keys, ledger, pending, booksSinceMs: () => booksSinceMs, everyMs: 20 },
    hitLimitsOf: () => ({ limits: NO_LIMITS, expiresAtMs: Date.now() + 86_400_000 }),
    onFolded: (hits) => (found.folded += hits),
    onSettled: () => found.settled++,
    ...{ onFailure: fail, onDead: fail },
  });
  fold.start();
  atEnd(() => fold.stop());
  await eventually(async () => expect(await pending.count()).toBe(0));
  await fold.stop();
  expect(found).toEqual(expected);
});

test('an impression that waits long after the end of its token does not count when its ad was not used: its place is another’s', async () => {
  await redis.flushdb();
  await knex.raw('truncate pending_hits, events');
  const { keys, link, ledger, pending } = openLedger();
  const atMs = Date.now() - 2 * LONG_MS;
  const hitOf = (tokenId: string, kind: 'impression' | 'event', holdEndMs: number): Hit => ({
    ad: {
      ...{ tokenId, publisherId: 1, campaignId: 2, lineItemId: 3, creativeId: 4, placementId: 'top', priceMicros: 1000, holdEndMs },
      ...{ billsOn: 'impression', day: Math.floor(atMs / 86_400_000), tokenExpS: Math.ceil((atMs + LONG_MS) / 1000) },
      ...{ userHash: null, billingNotice: false, servedAtMs: atMs },
    },
    ...{ kind, eventType: kind === 'event' ? 'notUsed' : '', invalidReason: '', atMs: atMs + 60_000, country: null, device: null },
  });
  const ads = [
    ['given-back', atMs + LONG_MS],
    ['too-late-to-give-back', atMs + 30_000],
  ] as const;
  for (const [token, holdEndMs] of ads) {
    const hit = hitOf(token, 'event', holdEndMs);
    await createEventStore({ knex }).append([{ hit, reason: '', atMs: hit.atMs, billedMicros: 0 }]);
    await pending.restore(hitOf(token, 'impression', holdEndMs), 0);
  }
  const settled: string[] = [];
  const fold = createFold({
    ...{ redis, link, keys, ledger, pending, everyMs: 20, onFolded: () => undefined, onFailure: fail, onDead: fail },
    hitLimitsOf: () => ({ limits: NO_LIMITS, expiresAtMs: Date.now() + 86_400_000 }),
    onSettled: ({ ad }) => settled.push(ad.tokenId),
  });
  fold.start();
  atEnd(() => fold.stop());
  await eventually(async () => expect(await pending.count()).toBe(0));
  await fold.stop();
  expect(settled).toEqual(['too-late-to-give-back']);
});

test('replicas that restore the same hits at a time, each in its own order, do not wait for each other', async () => {
  await knex.raw('truncate pending_hits');
  const pending = createPendingHits({ knex });
  const atMs = Date.now();
  const hits = Array.from({ length: 500 }, (_, i) => {
    const ids = { tokenId: `restored-${i}`, publisherId: 1, campaignId: 2, lineItemId: 3, creativeId: 4, placementId: 'top' };
    const ad = { ...ids, priceMicros: 1000, billsOn: 'impression' as const, day: 1, holdEndMs: 0, tokenExpS: 2, servedAtMs: atMs };
    const hit: Hit = {
      ad: { ...ad, userHash: null, billingNotice: false },
      kind: 'impression',
      eventType: '',
      invalidReason: '',
      atMs,
      country: null,
      device: null,
    };
    return { hit, shard: 0 };
  });
  // Both are on their way when the one in the middle is free.
  const middle = await knex.transaction();
  await createPendingHits({ knex: middle }).restoreAll(hits.slice(250, 251));
  const restoring = Promise.all([hits, hits.toReversed()].map((some) => pending.restoreAll(some)));
  await eventually(async () => {
    const { rows } = await knex.raw<{ rows: { waiting: number }[] }>(
      `select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock' and query like 'insert into pending_hits%'`,
    );
    expect(rows[0]?.waiting).toBe(2);
  });
  await middle.rollback();
  await restoring;
  expect(await pending.count()).toBe(hits.length);
});
