import { setTimeout as sleep } from 'node:timers/promises';
import knexFactory, { type Knex } from 'knex';
import type { DayRule } from '../../src/base/local-day.ts';
import { MS_PER_DAY } from '../../src/base/utc-day.ts';
import { createBookKeeper, type BookKeeper } from '../../src/events/books/book-keeper.ts';
import { createRebuildCampaigns } from '../../src/events/books/rebuild-campaigns.ts';
import { createRebuilder } from '../../src/events/books/rebuilder.ts';
import { createBookStore, type BookEpoch, type BookStore } from '../../src/events/postgres/book-store.ts';
import { createEventStore } from '../../src/events/postgres/event-store.ts';
import { readPublisherDays } from '../../src/events/postgres/publisher-days.ts';
import { readEvent, splitEntry } from '../../src/events/read-event.ts';
import { createBooksServer } from '../../src/ledger/books/books-server.ts';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { createLedgerKeys } from '../../src/ledger/ledger-keys.ts';
import { NO_LIMITS } from '../../src/ledger/limits.ts';
import { hitText } from '../../src/ledger/hit-text.ts';
import type { Hit, ServedAd } from '../../src/ledger/hit.ts';
import { createAccountReader } from '../../src/ledger/read/read-accounts.ts';
import type { RedisClient } from '../../src/redis/redis-client.ts';
import { patientRedis } from '../../testkit/patient-redis.ts';
import { curveAt } from '../../src/catalog/snapshot/traffic-curve.ts';
import type { RankedCandidate } from '../../src/decision/ranked-candidate.ts';
import { book, type Booking } from '../../testkit/book.ts';
import { sampleCampaign, sampleCreative, sampleLineItem } from '../../testkit/sample-booking.ts';
import { eventually } from '../../testkit/until.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { eventOf } from './events.ts';
import { LINK_UP } from '../../testkit/link-up.ts';

const keys = createLedgerKeys(1);
const FLIGHT = { startMs: 0, endMs: Date.now() + 30 * MS_PER_DAY };

let databaseUrl: string;
let knex: Knex;
let redis: RedisClient;
let booking: Booking;
/** Of its publisher. */
let days: DayRule;
const opened: BooksRig[] = [];

beforeAll(async () => {
  databaseUrl = await testDatabase();
  knex = knexFactory({ client: 'pg', connection: databaseUrl, pool: { min: 0, max: 10 } });
  redis = await patientRedis(await testRedisUrl());
});
beforeEach(async () => {
  await redis.flushall();
  await knex.raw('truncate events, event_batches, daily_counts, pending_hits, ledger_epochs, ledger_replicas, open_holds, carried_counts');
  booking = await book(knex, { lineItems: [{ daily_impression_cap: 10 }, {}] });
  days = (await readPublisherDays(knex, Date.now(), [booking.publisherId])).rule(booking.publisherId);
});
afterEach(async () => {
  for (const rig of opened.splice(0)) await rig.close();
});
afterAll(async () => {
  redis.disconnect();
  await knex.destroy();
});

interface BooksRig {
  readonly keeper: BookKeeper;
  readonly ledger: Ledger;
  readonly losses: BookEpoch[];
  /** Hits that were written to Postgres again. */
  readonly restored: Hit[];
  reserve(candidate: RankedCandidate): ReturnType<Ledger['reserve']>;
  close(): Promise<void>;
}

/** What a replica has of the books. */
const openBooks = async (store = createBookStore({ knex }), onFailure?: (fault: Error) => void): Promise<BooksRig> => {
  const server = createBooksServer({ redis, keys, scopeOf: () => 0, expiresAtMs: () => Date.now() + MS_PER_DAY });
  const losses: BookEpoch[] = [];
  const restored: Hit[] = [];
  const fail = (fault: Error): never => {
    throw fault;
  };
  const keeper = createBookKeeper({
    ...{ store, server, scopes: 1, scopeOf: () => 0, patienceMs: 100, isUp: () => true },
    restoreHits: (hits) => Promise.resolve(void restored.push(...hits)),
    recordLoss: (_trx, epoch) => Promise.resolve(void losses.push(epoch)),
    ...{ onBegun: () => undefined, onFailure: onFailure ?? fail },
  });
  const rebuilder = createRebuilder({
    ...{ keeper, store, server, scopes: 1, scopeOf: () => 0, now: () => Date.now() },
    rebuildCampaigns: createRebuildCampaigns({ knex, server, shardOf: keys.shardOf }),
    ...{ onRebuilt: () => undefined, onFailure: fail },
  });
  const ledger = createLedger({
    ...{ redis, keys, tokenTtlMs: 60_000, pid: { kp: 0, ki: 0, kd: 0 }, books: keeper },
    link: LINK_UP,
    onFailure: (_script, fault) => fail(fault),
  });
  rebuilder.start();
  await keeper.start();
  const rig: BooksRig = {
    ...{ keeper, ledger, losses, restored },
    reserve: (one) => {
      const request = { publisherId: booking.publisherId, userHash: null, curve: curveAt(Date.now(), undefined, undefined, days) };
      return ledger.reserve({ ...request, expiresAtMs: Date.now() + MS_PER_DAY, imps: [[one]] });
    },
    close: async () => {
      await rebuilder.stop();
      await keeper.stop();
    },
  };
  opened.push(rig);
  return rig;
};

const candidateOf = (at: 0 | 1): RankedCandidate => {
  const id = booking.lineItemIds[at]!;
  const ids = { publisherId: booking.publisherId, campaignId: booking.campaignId };
  const lineItem = sampleLineItem({ ...ids, id, flight: FLIGHT, cpmMicros: 1_000_000, dailyImpressionCap: at === 0 ? 10 : null });
  const campaign = sampleCampaign({ id: booking.campaignId, publisherId: booking.publisherId, flight: FLIGHT });
  const prices = { ecpmMicros: 0, priceMicros: 1000, expectedMicros: 1000, position: 0, bid: -1 };
  return { creative: sampleCreative(id), lineItem, campaign, ...prices };
};

/** `nbr`, or 'held' or 'served' without a hold. */
const outcomeOf = async (rig: BooksRig, candidate: RankedCandidate): Promise<number | 'held' | 'served'> => {
  const [imp] = (await rig.reserve(candidate))!.imps;
  return imp!.refused[0] ?? (imp!.moments!.holdEndMs === 0 ? 'served' : 'held');
};

const account = async () => (await createAccountReader({ redis, keys }).lineItems(booking.publisherId, [booking.lineItemIds[0]!]))[0];

const hitOf = async (rig: BooksRig, candidate: RankedCandidate): Promise<Hit> => {
  const moments = (await rig.reserve(candidate))!.imps[0]!.moments!;
  const { lineItem, campaign, creative } = candidate;
  const ids = { publisherId: booking.publisherId, campaignId: campaign.id, lineItemId: lineItem.id, creativeId: creative.id };
  const ad: ServedAd = {
    ...{ tokenId: `token-${Math.random()}`, ...ids, placementId: booking.placementId, priceMicros: 1000, billsOn: 'impression' },
    ...{ ...moments, servedAtMs: Date.now(), userHash: null, billingNotice: false },
  };
  return { ad, kind: 'impression', eventType: '', invalidReason: '', atMs: Date.now(), country: null, device: null };
};

/** Settles a hit in Redis; `stores` it in Postgres as the event writer would. */
const see = async (rig: BooksRig, hit: Hit, stores: boolean): Promise<void> => {
  await rig.ledger.settle(hit, { limits: NO_LIMITS, expiresAtMs: Date.now() + MS_PER_DAY });
  if (!stores) return;
  for (const [id, fields] of await redis.xrange(keys.events(0), '-', '+')) {
    await createEventStore({ knex }).append(splitEntry(fields).map(readEvent));
    await redis.xdel(keys.events(0), id);
  }
};

const LOSSES: readonly (readonly [name: string, lose: () => Promise<unknown>])[] = [
  ['FLUSHALL', () => redis.flushall()],
  ['the loss of one publisher with its record', () => redis.del(keys.accounts(booking.publisherId), keys.epochs(0))],
  [
    'an older copy in a process that was not examined',
    () => redis.function('FLUSH').then(() => redis.hset(keys.epochs(0), 'id', 'another')),
  ],
];

test.each(LOSSES)('after %s an account is refused until it is exactly what it was, and unlimited ads are served', async (_name, lose) => {
  const rig = await openBooks();
  const [limited, unlimited] = [candidateOf(0), candidateOf(1)];
  await see(rig, await hitOf(rig, limited), true);
  // Settled in Redis, on its way to Postgres: what is lost with the stream stays held.
  for (let i = 0; i < 3; i++) expect(await outcomeOf(rig, limited)).toBe('held');
  const before = await account();
  await lose();

  expect(await outcomeOf(rig, limited)).toBe(520);
  expect(await outcomeOf(rig, unlimited)).toBe('served');
  await eventually(() => expect(rig.losses).toHaveLength(1));
  await eventually(async () => expect(await redis.hget(keys.accounts(booking.publisherId), '#')).toBe(rig.losses[0]!.epoch));
  expect(await account()).toMatchObject({ totalImpressions: 1, totalSpendMicros: 1000, heldToday: 3, heldMicros: 3000 });
  expect(await account()).toMatchObject({ heldToday: before!.heldToday, heldMicros: before!.heldMicros });
  // The cap of 10: one is seen, three are held.
  const outcomes = [];
  for (let i = 0; i < 8; i++) outcomes.push(await outcomeOf(rig, limited));
  expect(outcomes).toEqual(['held', 'held', 'held', 'held', 'held', 'held', 505, 505]);
});

test('a line item that gets a limit while it runs has, after a loss, what was seen before that and what is on its way', async () => {
  const rig = await openBooks();
  const limited = candidateOf(0);
  const unlimited = { ...limited, lineItem: { ...limited.lineItem, dailyImpressionCap: null } };
  for (let i = 0; i < 4; i++) await see(rig, await hitOf(rig, unlimited), true);
  // One is on its way since before, three since then.
  expect(await outcomeOf(rig, unlimited)).toBe('held');
  for (let i = 0; i < 3; i++) expect(await outcomeOf(rig, limited)).toBe('held');
  expect(await account()).toMatchObject({ totalImpressions: 4, heldToday: 4 });
  await redis.flushall();
  expect(await outcomeOf(rig, limited)).toBe(520);
  await eventually(async () => expect(await account()).toMatchObject({ totalImpressions: 4, heldToday: 4 }));
  const outcomes = [];
  for (let i = 0; i < 4; i++) outcomes.push(await outcomeOf(rig, limited));
  expect(outcomes).toEqual(['held', 'held', 505, 505]);
});

test('an impression that is still in the stream is counted and not held twice', async () => {
  const rig = await openBooks();
  await see(rig, await hitOf(rig, candidateOf(0)), false);
  expect(await outcomeOf(rig, candidateOf(0))).toBe('held');
  await redis.del(keys.accounts(booking.publisherId));
  await redis.hset(keys.epochs(0), 'id', 'another');
  expect(await outcomeOf(rig, candidateOf(0))).toBe(520);
  await eventually(async () => expect(await account()).toMatchObject({ totalImpressions: 1, heldToday: 1, heldMicros: 1000 }));
});

test('accounts wait for events that were read before a loss and are stored after it', async () => {
  const rig = await openBooks();
  await see(rig, await hitOf(rig, candidateOf(0)), false);
  const [[, fields]] = (await redis.xrange(keys.events(0), '-', '+')) as [[string, string[]]];
  let goOn!: () => void;
  const carried = new Promise<void>((resolve) => (goOn = resolve)).then(() =>
    createEventStore({ knex }).append(splitEntry(fields).map(readEvent)),
  );
  let hurried = 0;
  rig.keeper.carrying(carried, () => hurried++);
  await redis.flushall();
  expect(await outcomeOf(rig, candidateOf(0))).toBe(520);
  await eventually(() => expect(rig.losses).toHaveLength(1));
  // Longer than a rebuild takes.
  for (let i = 0; i < 20; i++) {
    expect(await outcomeOf(rig, candidateOf(0))).toBe(520);
    await sleep(20);
  }
  expect(hurried).toBe(1);
  goOn();
  await eventually(async () => expect(await account()).toMatchObject({ totalImpressions: 1, heldToday: 0, heldMicros: 0 }));
});

test('accounts wait for a transaction that stores events and outlives its replica', async () => {
  const rig = await openBooks();
  await see(rig, await hitOf(rig, candidateOf(0)), false);
  const [[, fields]] = (await redis.xrange(keys.events(0), '-', '+')) as [[string, string[]]];
  const events = splitEntry(fields).map(readEvent);
  // The partition is there before.
  await createEventStore({ knex }).append([eventOf({}, {}, Date.now())]);
  const orphan = await knex.transaction();
  try {
    await createEventStore({ knex: orphan }).append(events);
    await redis.flushall();
    await eventually(async () => {
      expect(await outcomeOf(rig, candidateOf(0))).toBe(520);
      expect(rig.losses).toHaveLength(1);
    });
    // Longer than a rebuild takes.
    for (let i = 0; i < 20; i++) {
      expect(await outcomeOf(rig, candidateOf(0))).toBe(520);
      await sleep(20);
    }
  } finally {
    await orphan.commit();
  }
  await eventually(async () => expect(await account()).toMatchObject({ totalImpressions: 1, heldToday: 0, heldMicros: 0 }));
});

test('the price of a video that is not complete stays held after a loss, and is billed from there', async () => {
  const rig = await openBooks();
  const banner = candidateOf(0);
  const view = { ...banner, lineItem: { ...banner.lineItem, budgetType: 'CPCV', cpcvMicros: 1000 } } as const;
  const videos = [];
  for (let i = 0; i < 3; i++) {
    const hit = await hitOf(rig, view);
    videos.push({ ...hit, ad: { ...hit.ad, billsOn: 'complete' } } as const);
  }
  const completeOf = (hit: Hit): Hit => ({ ...hit, kind: 'event', eventType: 'complete' });
  for (const hit of videos) await see(rig, hit, true);
  await see(rig, completeOf(videos[0]!), true);
  // On its way to Postgres.
  await see(rig, completeOf(videos[1]!), false);
  await redis.del(keys.accounts(booking.publisherId));
  await redis.hset(keys.epochs(0), 'id', 'another');
  expect(await outcomeOf(rig, banner)).toBe(520);
  await eventually(async () =>
    expect(await account()).toMatchObject({ totalImpressions: 3, totalSpendMicros: 2000, heldToday: 0, heldMicros: 1000, broken: 0 }),
  );
  const settled = await rig.ledger.settle(
    completeOf(videos[2]!),
    { limits: NO_LIMITS, expiresAtMs: Date.now() + MS_PER_DAY },
    { late: true },
  );
  expect(settled).toMatchObject({ outcome: 'counted' });
  expect(await account()).toMatchObject({ totalSpendMicros: 3000, heldMicros: 0, broken: 0 });
});

test('accounts wait for a replica that has not written what it was granted', async () => {
  const [first, second] = [await openBooks(), await openBooks()];
  for (let i = 0; i < 4; i++) expect(await outcomeOf(second, candidateOf(0))).toBe('held');
  await redis.flushall();
  expect(await outcomeOf(first, candidateOf(0))).toBe(520);
  await eventually(async () => expect((await account())?.heldToday).toBe(4));
});

/** A replica that gets no processor from the first call of `stall` on, with a connection to Postgres that it alone uses. */
const openStalling = async () => {
  const connection = knexFactory({ client: 'pg', connection: databaseUrl, pool: { min: 1, max: 1 } });
  const failures: Error[] = [];
  const store = createBookStore({ knex: connection });
  let running = Promise.resolve();
  let resume = (): void => undefined;
  const beat: BookStore['beat'] = (...args) => running.then(() => store.beat(...args));
  const rig = await openBooks({ ...store, beat }, (fault) => failures.push(fault));
  const stall = (): void => {
    running = new Promise((resolve) => (resume = resolve));
  };
  return { rig, failures, stall, resume: () => resume(), endConnection: () => connection.destroy() };
};

test('accounts wait for a replica that lives and has not written for more than three seconds', async () => {
  const [first, second] = [await openBooks(), await openStalling()];
  second.stall();
  for (let i = 0; i < 4; i++) expect(await outcomeOf(second.rig, candidateOf(0))).toBe('held');
  await knex('ledger_replicas').update({ seen_at: knex.raw(`now() - interval '4 seconds'`) });
  await redis.flushall();
  expect(await outcomeOf(first, candidateOf(0))).toBe(520);
  await sleep(500);
  expect(await outcomeOf(first, candidateOf(0))).toBe(520);
  second.resume();
  await eventually(async () => expect((await account())?.heldToday).toBe(4));
  await Promise.all([first.close(), second.rig.close()]);
  await second.endConnection();
});

test.each([
  ['whose connection has ended, once it has not written for three seconds', '4 seconds', true],
  ['that has not written for thirty seconds', '31 seconds', false],
])('accounts do not wait for a replica %s', async (_, silence, hasEnded) => {
  const [first, second] = [await openBooks(), await openStalling()];
  second.stall();
  await knex('ledger_replicas').update({ seen_at: knex.raw(`now() - ?::interval`, [silence]) });
  if (hasEnded) await second.endConnection();
  await redis.flushall();
  await eventually(async () => expect(await outcomeOf(first, candidateOf(0))).toBe('held'));
  second.resume();
  await Promise.all([first.close(), second.rig.close()]);
  expect(second.failures.length > 0).toBe(hasEnded);
  await second.endConnection();
});

test('a replica without requests that is told of a loss writes what it was granted, and is not waited for', async () => {
  const store = createBookStore({ knex });
  const [busy, idle] = [await openBooks(), await openBooks()];
  expect(await outcomeOf(idle, candidateOf(0))).toBe('held');
  await redis.flushall();
  await busy.keeper.verify(0);
  await idle.keeper.lookNow(0);
  expect(idle.keeper.epochOf(0)).toBe(busy.keeper.epochOf(0));
  await busy.keeper.noted(0);
  await busy.keeper.beat();
  expect(await store.isFlushed(0, busy.keeper.epochOf(0))).toBe(true);
  expect(await knex('open_holds').sum({ granted: 'granted' })).toEqual([{ granted: '1' }]);
});

test('a hit is refused, and nothing of it changed, until its account is rebuilt', async () => {
  const rig = await openBooks();
  const hit = await hitOf(rig, candidateOf(0));
  await redis.flushall();
  expect(await rig.ledger.settle(hit, { limits: NO_LIMITS, expiresAtMs: Date.now() + MS_PER_DAY })).toBeUndefined();
  expect(await redis.keys('*seen*')).toEqual([]);
  await eventually(async () => expect((await account())?.heldToday).toBe(1));
  // From before the loss: by way of Postgres, whose rows know whether it has counted.
  expect(await rig.ledger.settle(hit, { limits: NO_LIMITS, expiresAtMs: Date.now() + MS_PER_DAY })).toBeUndefined();
  const late = await rig.ledger.settle(hit, { limits: NO_LIMITS, expiresAtMs: Date.now() + MS_PER_DAY }, { late: true });
  expect(late).toMatchObject({ outcome: 'counted', foundHold: true });
});

test('a new line item and a new publisher are served at once', async () => {
  const rig = await openBooks();
  expect(await outcomeOf(rig, candidateOf(0))).toBe('held');
  booking = await book(knex, { lineItems: [{ daily_impression_cap: 10 }] });
  expect(await outcomeOf(rig, candidateOf(0))).toBe('held');
});

test('a later release trusts the process that the earlier one has examined', async () => {
  const rig = await openBooks();
  expect(await outcomeOf(rig, candidateOf(0))).toBe('held');
  await redis.function('FLUSH');
  expect(await outcomeOf(rig, candidateOf(0))).toBe(520);
  await eventually(async () => expect(await outcomeOf(rig, candidateOf(0))).toBe('held'));
  expect(rig.losses).toEqual([]);
  expect((await account())?.heldToday).toBe(2);
});

test('hits of a scope that is away are remembered, however many another scope takes meanwhile', async () => {
  const ofTwo = createLedgerKeys(2);
  const isUp = [true, true];
  const restored: Hit[] = [];
  const keeper = createBookKeeper({
    server: createBooksServer({ redis, keys: ofTwo, scopeOf: (shard) => shard, expiresAtMs: () => Date.now() + MS_PER_DAY }),
    ...{ store: createBookStore({ knex }), scopes: 2, scopeOf: ofTwo.shardOf, patienceMs: 100, isUp: (scope) => isUp[scope]! },
    restoreHits: (hits) => Promise.resolve(void restored.push(...hits)),
    recordLoss: () => Promise.resolve(),
    onBegun: () => undefined,
    onFailure: (fault) => {
      throw fault;
    },
  });
  await keeper.start();
  try {
    const [away, busy] = [0, 1].map((scope) => Array.from({ length: 100 }, (_, id) => id).find((id) => ofTwo.shardOf(id) === scope)!);
    const noted = (publisherId: number, tokenId: string): void => {
      const { hit } = eventOf({ publisherId, tokenId, placementId: 'x'.repeat(4_000) });
      keeper.settled(hit, hitText(hit));
    };
    noted(away!, 'before the outage');
    isUp[0] = false;
    for (let i = 0; i < 6_000; i++) noted(busy!, 'meanwhile');
    await redis.flushall();
    isUp[0] = true;
    await keeper.verify(0);
    expect(restored.some(({ ad }) => ad.tokenId === 'before the outage')).toBe(true);
  } finally {
    await keeper.stop();
  }
});

test('a hit whose reply was lost is restored after a loss by the replica that has found it counted, once', async () => {
  const [first, second] = [await openBooks(), await openBooks()];
  const hit = await hitOf(first, candidateOf(0));
  await see(first, hit, false);
  // As it is folded, and sent again.
  const again = (late: boolean) => second.ledger.settle(hit, { limits: NO_LIMITS, expiresAtMs: Date.now() + MS_PER_DAY }, { late });
  for (const late of [true, false, false]) expect((await again(late))?.outcome).toBe('duplicate');
  await redis.flushall();
  expect(await outcomeOf(second, candidateOf(0))).toBe(520);
  await eventually(() => expect(second.restored.map(({ ad, kind }) => [ad.tokenId, kind])).toEqual([[hit.ad.tokenId, 'impression']]));
});

test('a beat that knows an epoch does not overtake the one that writes what was granted before it', async () => {
  const real = createBookStore({ knex });
  const written: number[] = [];
  const rig = await openBooks({
    ...real,
    beat: async (replica, known, changes, moments) => {
      // As a transaction that waits for a connection.
      if (changes.length > 0) await sleep(200);
      const beat = await real.beat(replica, known, changes, moments);
      written.push(changes.length);
      return beat;
    },
  });
  written.length = 0;
  expect(await outcomeOf(rig, candidateOf(0))).toBe('held');
  await Promise.all([rig.keeper.beat(), rig.keeper.beat()]);
  expect(written).toEqual([1, 0]);
});
