import { setTimeout as sleep } from 'node:timers/promises';
import knexFactory, { type Knex } from 'knex';
import { createCompareAccounts } from '../../src/events/compare-accounts.ts';
import { createCompareTallies, type CompareTallies } from '../../src/events/compare-tallies.ts';
import { compareAllAccounts, compareDay, type CompareOptions } from '../../src/events/compare-books.ts';
import { createEventWriter } from '../../src/events/event-writer.ts';
import { createCountStore, type CountStore } from '../../src/events/postgres/count-store.ts';
import { createDeadEvents } from '../../src/events/postgres/dead-events.ts';
import { createEventStore } from '../../src/events/postgres/event-store.ts';
import { rollUpAll } from '../../src/events/postgres/roll-up-batches.ts';
import { createPartitions, dropPartitions, partitionOf, partitionsOf } from '../../src/events/postgres/partitions.ts';
import { createUncounted } from '../../src/events/postgres/uncounted.ts';
import { createCountedStore } from './counted-store.ts';
import { isRoundDue, readReconciliation, restAfterRound } from '../../src/events/postgres/reconciliation.ts';
import { createRollUp } from '../../src/events/roll-up.ts';
import { createReconciler } from '../../src/events/reconciler.ts';
import type { Hit } from '../../src/ledger/hit.ts';
import { NO_LIMITS } from '../../src/ledger/limits.ts';
import { VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import { COUNT_NAMES, createAccountBooks, type AccountBooks, type AccountCounts } from '../../src/ledger/read/account-books.ts';
import { createTallyBooks } from '../../src/ledger/read/tally-books.ts';
import { createPendingHits } from '../../src/tracking/pending-hits.ts';
import { eventually, PATIENCE_MS } from '../../testkit/until.ts';
import { campaign, candidate, DAY, lineItem, NOON } from '../decision/candidates.ts';
import { createLedgerRig, servedAd, type LedgerRig } from '../ledger/ledger-rig.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { dateOfDay } from '../../src/base/utc-day.ts';
import { eventOf, fieldsOf } from './events.ts';

const TODAY = Math.floor(NOON / DAY);
const PRICE = 1333;
const one = candidate(lineItem());

let knex: Knex;
let rig: LedgerRig;
let counts: CountStore;
let books: AccountBooks;
let comparing: CompareOptions;
let compareTallies: CompareTallies;

beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: await testDatabase(), pool: { min: 0, max: 10 } });
  await knex('publishers').insert({ name: 'p', domain: 'p.example', api_key_hash: 'h' });
  await knex('campaigns').insert({ publisher_id: 1, name: 'c', start_at: '2026-01-01', end_at: '2999-01-01' });
  await knex('line_items').insert({
    campaign_id: 1,
    name: 'l',
    active: true,
    start_at: '2026-01-01',
    end_at: '2999-01-01',
    cpm_micros: 1,
    pacing: 'ASAP',
  });
});
beforeEach(async () => {
  await knex.raw(
    'truncate events, event_batches, daily_counts, filtered_counts, event_counts, hourly_counts, dead_events, pending_hits, reconciliation',
  );
  rig = await createLedgerRig(await testRedisUrl());
  counts = createCountStore({ knex });
  books = createAccountBooks({ redis: rig.redis, keys: rig.keys, expiresAtMs: () => Date.now() + DAY, clock: VIRTUAL_CLOCK_KEY });
  compareTallies = createCompareTallies({ knex, books: createTallyBooks({ redis: rig.redis, keys: rig.keys }) });
  const mayLower = () => Promise.resolve(true);
  comparing = { counts, compareAccounts: createCompareAccounts({ knex, books, mayLower }), dryRun: false, rest: () => Promise.resolve() };
});
afterEach(() => rig.close());
afterAll(() => knex.destroy());

const ofOne = { lineItemId: 1, campaignId: 1, publisherId: 1, creativeId: 1 };
const daily = () =>
  knex('daily_counts')
    .orderBy(['line_item_id', 'creative_id'])
    .select('line_item_id', 'creative_id', knex.raw('serves::int, impressions::int, clicks::int, spend_micros::int as spend'));
const account = async () => (await rig.accounts.lineItems(1, [1]))[0];
const impression = async () => {
  const reservation = await rig.reserve([[one]]);
  const ad = servedAd(reservation, one);
  const hit: Hit = { ad, kind: 'impression', eventType: '', invalidReason: '', atMs: NOON, country: null, device: null };
  await rig.ledger.settle(hit, { limits: NO_LIMITS, expiresAtMs: Date.now() + DAY });
};
const writer = () =>
  createEventWriter({
    ...{
      redis: rig.redis,
      link: { upOf: () => true },
      keys: rig.keys,
      store: createEventStore({ knex }),
      deadEvents: createDeadEvents({ knex }),
    },
    ...{ consumer: 'test', idleMs: 5, flushMs: 50, onDead: () => undefined },
    onFailure: (fault) => {
      throw fault;
    },
  });
/** Stores what is in the streams, and stops. */
const carry = async (): Promise<void> => {
  const one = writer();
  one.start();
  await eventually(async () => expect(await rig.redis.xlen(rig.keys.events(1))).toBe(0));
  await one.stop();
};
/** Changes an account as a fault would. */
const seed = async (kind: 'l' | 'c', difference: Partial<AccountCounts>): Promise<void> => {
  const none = Object.fromEntries(COUNT_NAMES.map((name) => [name, 0])) as unknown as AccountCounts;
  expect(
    await books.adjust(1, await books.check(1, [{ kind, id: 1 }]), TODAY, [{ kind, id: 1, difference: { ...none, ...difference } }]),
  ).toBe(1);
};

test('what viewable events bill is in the daily counts and in the accounts, and no difference', async () => {
  const item = lineItem({ budgetType: 'VCPM', cpmMicros: 8_000_000 });
  const billing = candidate(item);
  const ad = servedAd(await rig.reserve([[billing]]), billing);
  for (const [kind, eventType] of [
    ['impression', ''],
    ['event', 'viewable'],
  ] as const) {
    const hit: Hit = { ad, kind, eventType, invalidReason: '', atMs: NOON, country: null, device: null };
    await rig.ledger.settle(hit, { limits: NO_LIMITS, expiresAtMs: Date.now() + DAY });
  }
  const differences = async () => (await compareAllAccounts(comparing, TODAY)).map(({ difference }) => difference);
  // On the way: in the stream, and then in rows.
  await createEventStore({ knex }).recordServes([{ ...ofOne, day: TODAY, serves: 1 }]);
  expect(await differences()).toEqual([]);
  await carry();
  expect(await daily()).toMatchObject([{ impressions: 0, spend: 0 }]);
  expect(await differences()).toEqual([]);
  await rollUpAll(knex);
  expect(await daily()).toEqual([{ line_item_id: 1, creative_id: 1, serves: 1, impressions: 1, clicks: 0, spend: 8_000 }]);
  expect(await differences()).toEqual([]);
  expect(await counts.compareDaily(TODAY, { dryRun: true })).toBe(0);
  await seed('l', { spendMicros: -8_000, totalSpendMicros: -8_000 });
  expect(await differences()).toMatchObject([{ spendMicros: 8_000, totalSpendMicros: 8_000 }]);
});

test('rows that wait are read while they are few, and counted first when they are many', async () => {
  const compareAccounts = createCompareAccounts({
    ...{ knex, books, mayLower: () => Promise.resolve(true), uncounted: createUncounted({ fewRows: 3 }) },
  });
  const waiting = async () => Number((await knex('event_batches').sum('rows as rows'))[0]?.['rows']);
  for (const [impressions, rows] of [
    [2, 2],
    [3, 0],
  ] as const) {
    while ((await account())?.totalImpressions !== impressions) await impression();
    await carry();
    expect(await compareAllAccounts({ ...comparing, compareAccounts }, TODAY)).toEqual([]);
    expect(await waiting()).toBe(rows);
  }
  expect(await daily()).toMatchObject([{ impressions: 3 }]);
});

test('no replica begins a round while the comparison rests, which it does for longer than the round took', async () => {
  const rests = async () =>
    (await knex('reconciliation').where({ scope: 'accounts' }).first(knex.raw('extract(epoch from next_at - compared_at)::float8 as s')))
      ?.s;
  const reconciler = createReconciler({
    ...{ knex, counts, compareAccounts: comparing.compareAccounts, compareTallies, now: () => NOON, pauseMs: 60_000 },
    ...{ onMended: () => undefined, onFailure: () => undefined },
  });
  reconciler.start();
  await eventually(async () => expect(await rests()).toBeGreaterThanOrEqual(60));
  await reconciler.stop();
  expect(await isRoundDue(knex)).toBe(false);
  await restAfterRound(knex, -1);
  expect(await isRoundDue(knex)).toBe(true);
});

describe('daily counts', () => {
  it('are corrected in both directions, created and emptied as the event rows say; serves stay', async () => {
    const store = createCountedStore({ knex });
    for (const lineItemId of [1, 2, 3]) await store.append([eventOf({ lineItemId }), eventOf({ lineItemId }, { kind: 'click' })]);
    await store.recordServes([{ day: TODAY, publisherId: 1, campaignId: 2, lineItemId: 1, creativeId: 4, serves: 9 }]);
    await knex('daily_counts').where({ line_item_id: 1 }).update({ impressions: 50, spend_micros: 7 });
    await knex('daily_counts').where({ line_item_id: 2 }).update({ clicks: 0 });
    await knex('daily_counts').where({ line_item_id: 3 }).delete();
    // A row without events.
    await knex('daily_counts').insert({
      day: '2026-06-15',
      publisher_id: 1,
      campaign_id: 2,
      line_item_id: 4,
      creative_id: 4,
      impressions: 8,
      serves: 3,
    });

    expect(await compareDay({ ...comparing, dryRun: true }, TODAY, TODAY)).toBe(4);
    expect(await compareDay(comparing, TODAY, TODAY)).toBe(4);
    const row = (line_item_id: number, serves: number, impressions = 1) => ({
      ...{ line_item_id, creative_id: 4, serves, impressions, clicks: impressions, spend: impressions * 2_000 },
    });
    expect(await daily()).toEqual([row(1, 9), row(2, 0), row(3, 0), row(4, 3, 0)]);
    expect(await compareDay(comparing, TODAY, TODAY)).toBe(0);
  });

  it('of a line item whose events name two campaigns are kept by campaign', async () => {
    const store = createCountedStore({ knex });
    await store.append([eventOf({ campaignId: 2 })]);
    await store.append([eventOf({ campaignId: 5 }), eventOf({ campaignId: 5 })]);
    const byCampaign = () => knex('daily_counts').orderBy('campaign_id').select('campaign_id', knex.raw('impressions::int'));
    const right = await byCampaign();
    expect(right).toEqual([
      { campaign_id: 2, impressions: 1 },
      { campaign_id: 5, impressions: 2 },
    ]);
    await knex('daily_counts').where({ campaign_id: 5 }).delete();
    await knex('daily_counts').where({ campaign_id: 2 }).update({ impressions: 3 });
    expect(await compareDay(comparing, TODAY, TODAY)).toBe(2);
    expect(await byCampaign()).toEqual(right);
  });

  it('of a day whose events have been dropped stay as they are', async () => {
    await createCountedStore({ knex }).append([eventOf()]);
    const before = await daily();
    await createEventStore({ knex }).prune(1, NOON + 10 * DAY);
    expect(await compareDay(comparing, TODAY, TODAY)).toBe(0);
    expect(await daily()).toEqual(before);
  });

  const tables = async () => ({
    events: await knex('event_counts').orderBy(['line_item_id', 'event_type']).select('line_item_id', 'event_type', knex.raw('count::int')),
    hours: await knex('hourly_counts')
      .orderBy(['day', 'hour', 'publisher_id'])
      .select(knex.raw("to_char(day, 'DD') as day"), 'hour', 'publisher_id', knex.raw('impressions::int')),
  });

  it('by event type and by hour are corrected in both directions too; an hour has the day of the hit, not of the selection', async () => {
    const store = createCountedStore({ knex });
    const hour = (day: number, hourOfDay: number) => (TODAY + day) * DAY + hourOfDay * 3_600_000;
    const event = (eventType: string, lineItemId = 3) => eventOf({ lineItemId }, { kind: 'event', eventType });
    await store.append([event('like'), event('like'), event('share'), event('like', 9)]);
    // Selected yesterday and seen today; seen in the last hour; filtered; seen tomorrow.
    await store.append([eventOf({ day: TODAY - 1 }, {}, hour(0, 0)), eventOf({}, {}, hour(0, 23) + 3_599_999)]);
    await store.append([eventOf({}, {}, NOON), eventOf({}, { invalidReason: 'prefetch' }, NOON), eventOf({}, {}, hour(1, 1))]);
    await store.append([eventOf({ publisherId: 2 }, {}, NOON)]);
    const right = await tables();
    expect(right.hours).toHaveLength(5);
    expect(await compareDay(comparing, TODAY, TODAY)).toBe(0);

    await knex('event_counts').where({ event_type: 'share' }).update({ count: 7 });
    await knex('event_counts').where({ line_item_id: 9 }).delete();
    // A line item that has neither events nor daily counts.
    await knex('event_counts').insert({ day: '2026-06-15', line_item_id: 10, creative_id: 4, event_type: 'like', count: 3 });
    await knex('hourly_counts').where({ hour: 0 }).delete();
    await knex('hourly_counts').where({ hour: 23 }).update({ impressions: 5 });
    await knex('hourly_counts').where({ hour: 12, publisher_id: 2 }).update({ impressions: 0 });
    await knex('hourly_counts').insert({ day: '2026-06-15', hour: 5, publisher_id: 1, impressions: 8 });

    expect(await compareDay({ ...comparing, dryRun: true }, TODAY, TODAY)).toBe(7);
    expect(await compareDay(comparing, TODAY, TODAY)).toBe(7);
    const after = await tables();
    expect(after.events.filter(({ count }) => count > 0)).toEqual(right.events);
    expect(after.hours.filter(({ impressions }) => impressions > 0)).toEqual(right.hours);
    expect(await compareDay(comparing, TODAY, TODAY)).toBe(0);
  });

  it('by hour stay as they are when events of the day before have been dropped, and when they are no longer kept', async () => {
    const store = createCountedStore({ knex });
    const early = (TODAY - 1) * DAY + 60_000;
    await store.append([
      eventOf({ day: TODAY - 2 }, {}, early - 120_000),
      eventOf({ day: TODAY - 2 }, {}, early),
      eventOf({ day: TODAY - 1 }, {}, early),
    ]);
    const before = await tables();
    await store.prune(1, NOON);
    expect(await compareDay(comparing, TODAY - 1, TODAY)).toBe(0);
    expect((await tables()).hours).toEqual(before.hours);

    await knex('hourly_counts').delete();
    expect(await compareDay(comparing, TODAY - 1, TODAY + 40)).toBe(0);
    expect((await tables()).hours).toEqual([]);
  });

  it('no count is erased while events are stored', async () => {
    const store = createEventStore({ knex });
    await store.append([eventOf()]);
    let storing = true;
    const found: number[] = [];
    const compare = (async () => {
      while (storing) {
        found.push(await compareDay(comparing, TODAY, TODAY));
        await rollUpAll(knex);
      }
      await rollUpAll(knex);
    })();
    await Promise.all(
      Array.from({ length: 4 }, async (_, i) => {
        for (let n = 0; n < 100; n++)
          await store.append([
            ...Array.from({ length: 5 }, () => eventOf({ lineItemId: 3 + (n % 3), creativeId: i % 2 })),
            eventOf({ lineItemId: 3 + (n % 3) }, { kind: 'event', eventType: 'like' }),
          ]);
      }),
    );
    storing = false;
    await compare;
    expect(new Set(found)).toEqual(new Set([0]));
    const [{ sum } = { sum: 0 }] = await knex('daily_counts').sum<{ sum: string }[]>({ sum: 'impressions' });
    expect(Number(sum)).toBe(2_001);
    const { events, hours } = await tables();
    expect([events.reduce((total, { count }) => total + count, 0), hours]).toEqual([
      400,
      [{ day: '15', hour: 12, publisher_id: 1, impressions: 2_001 }],
    ]);
  });
});

test('while a day is compared, partitions of other days are created and its own is not dropped; a replica that stops does not wait for it', async () => {
  await createCountedStore({ knex }).append([eventOf()]);
  await knex('daily_counts').update({ impressions: 2 });
  const stopping = new AbortController();
  const blocker = await knex.transaction();
  try {
    await blocker.raw('lock table daily_counts in exclusive mode');
    const comparison = counts.compareDaily(TODAY, { dryRun: false, stopping: stopping.signal });
    const ended = expect(comparison).rejects.toMatchObject({ code: '57014' });
    const locks = `select count(*)::int as count from pg_locks where database = (select oid from pg_database where datname = current_database()) and`;
    await eventually(async () => {
      const { rows } = await knex.raw<{ rows: [{ count: number }] }>(`${locks} not granted and relation = 'daily_counts'::regclass`);
      expect(rows[0].count).toBe(1);
    });
    const other = TODAY + 400;
    await knex.transaction((trx) => createPartitions(trx, [other]));
    expect(await partitionsOf(knex)).toContain(partitionOf(dateOfDay(other)));
    await expect(
      knex.transaction(async (trx) => {
        await trx.raw(`set local lock_timeout = '200ms'`);
        await dropPartitions(trx, 'events', TODAY + 1);
      }),
    ).rejects.toMatchObject({ code: '55P03' });
    stopping.abort();
    await ended;
  } finally {
    await blocker.rollback();
  }
  expect(await compareDay(comparing, TODAY, TODAY)).toBe(1);
});

test('corrections and new events of the same rows wait for each other and never deadlock', async () => {
  const store = createEventStore({ knex });
  const lineItems = [1, 2, 3, 4, 5, 6];
  const batch = () =>
    lineItems
      .toReversed()
      .flatMap((lineItemId) => [eventOf({ lineItemId }), eventOf({ lineItemId }, { kind: 'event', eventType: 'like' })]);
  await store.append(batch());
  await rollUpAll(knex);
  let storing = true;
  let found = 0;
  const correct = (async () => {
    while (storing) {
      for (const line_item_id of lineItems)
        for (const table of ['daily_counts', 'event_counts']) {
          const changed = table === 'daily_counts' ? { clicks: 5 } : { count: 0 };
          await knex(table).where({ line_item_id }).update(changed);
        }
      found += await compareDay(comparing, TODAY, TODAY);
      await rollUpAll(knex);
    }
  })();
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let n = 0; n < 60; n++) await store.append(batch());
    }),
  );
  storing = false;
  await correct;
  await rollUpAll(knex);
  await compareDay(comparing, TODAY, TODAY);
  expect(found).toBeGreaterThan(10);
  expect((await daily()).map(({ impressions, clicks }) => [impressions, clicks])).toEqual(lineItems.map(() => [241, 0]));
  expect(await knex('event_counts').distinct('count')).toEqual([{ count: '241' }]);
});

describe('accounts', () => {
  it('that Redis has lost are raised to the rows, and events in the stream are no difference', async () => {
    for (let i = 0; i < 4; i++) await impression();
    await carry();
    await rig.redis.flushdb();
    await rig.at(NOON);
    await impression();
    await impression();
    expect(
      (await compareAllAccounts({ ...comparing, dryRun: true }, TODAY)).map(({ kind, difference }) => [kind, difference.impressions]),
    ).toEqual([
      ['c', 4],
      ['l', 4],
    ]);
    expect((await account())?.today.impressions).toBe(2);
    await compareAllAccounts(comparing, TODAY);
    expect(await account()).toMatchObject({ today: { impressions: 6, spendMicros: 6 * PRICE }, totalSpendMicros: 6 * PRICE });
    await carry();
    expect(await compareAllAccounts(comparing, TODAY)).toEqual([]);
    expect(await rig.redis.ttl(rig.keys.accounts(1))).toBeGreaterThan(0);
  });

  it('that are too high are lowered; dead events and hits that wait in Postgres are no difference', async () => {
    await impression();
    await carry();
    const dead = eventOf({ ...ofOne, tokenId: 'dead' });
    await createDeadEvents({ knex }).add({
      source: 'events',
      shard: 1,
      entryId: '1-0',
      fields: fieldsOf(dead),
      sqlState: '22003',
      reason: 'r',
    });
    await createPendingHits({ knex }).store(eventOf({ ...ofOne, tokenExpS: Date.now() / 1000 + 60 }).hit, 1);
    for (const kind of ['l', 'c'] as const)
      await seed(kind, { impressions: 11, totalImpressions: 11, spendMicros: 5_000, totalSpendMicros: 5_000 });
    expect(
      (await compareAllAccounts(comparing, TODAY)).map(({ kind, difference }) => [
        kind,
        difference.impressions,
        difference.totalSpendMicros,
      ]),
    ).toEqual([
      ['c', -10, -4_000],
      ['l', -10, -4_000],
    ]);
    expect(await account()).toMatchObject({
      today: { impressions: 2, spendMicros: PRICE + 1_000 },
      totalImpressions: 2,
      totalSpendMicros: PRICE + 1_000,
    });
    expect(await compareAllAccounts(comparing, TODAY)).toEqual([]);
  });

  it('are not adjusted twice when a call was delayed', async () => {
    await impression();
    const checked = await books.check(1, [{ kind: 'l', id: 1 }]);
    const none = Object.fromEntries(COUNT_NAMES.map((name) => [name, 0])) as unknown as AccountCounts;
    const adjust = () => books.adjust(1, checked, TODAY, [{ kind: 'l', id: 1, difference: { ...none, impressions: 5 } }]);
    expect([await adjust(), await adjust()]).toEqual([1, 0]);
    expect((await account())?.today.impressions).toBe(6);
  });

  it('are corrected on the day that their publisher has reached when the clock has stepped back over midnight', async () => {
    await impression();
    await carry();
    for (const kind of ['l', 'c'] as const) await seed(kind, { impressions: 2, totalImpressions: 2 });
    const midnight = (TODAY + 1) * DAY;
    await rig.at(midnight + 300);
    await rig.reserve([[candidate(lineItem({ id: 2, campaignId: 2 }), { campaign: campaign({ id: 2 }) })]]);
    await rig.at(midnight - 300);
    const differences = async () => (await compareAllAccounts(comparing, TODAY + 1)).map(({ difference }) => difference.totalImpressions);
    expect([await differences(), await differences()]).toEqual([[-2, -2], []]);
    expect(await account()).toMatchObject({ today: { impressions: 0 }, totalImpressions: 1 });
  });
});

describe('tallies', () => {
  const send = async (changes: Partial<Hit>): Promise<void> => {
    const ad = servedAd(await rig.reserve([[one]]), one);
    const hit: Hit = { ad, kind: 'impression', eventType: '', invalidReason: '', atMs: NOON, country: null, device: null, ...changes };
    await rig.ledger.settle(hit, { limits: NO_LIMITS, expiresAtMs: Date.now() + DAY });
  };
  const tally = (name: 'filtered' | 'eventTally') => rig.redis.hgetall(rig.keys[name](1));

  it('of filtered hits and custom events are corrected in both directions; events in the stream are no difference', async () => {
    const options = { dryRun: false, rest: () => Promise.resolve() };
    for (let i = 0; i < 3; i++) await send({ invalidReason: 'spider' });
    await send({ kind: 'click', invalidReason: 'data_center' });
    for (let i = 0; i < 2; i++) await send({ kind: 'event', eventType: 'like' });
    await carry();
    // As Redis loses them, or the writer prunes days that are over.
    await rig.redis.del(rig.keys.filtered(1), rig.keys.eventTally(1));
    expect(await compareTallies(TODAY, options)).toBe(3);
    await send({ invalidReason: 'spider' });
    await send({ kind: 'event', eventType: 'like' });
    const right = [await tally('filtered'), await tally('eventTally')];
    expect(right).toEqual([{ [`${TODAY}:1:impression:spider`]: '4', [`${TODAY}:1:click:data_center`]: '1' }, { [`${TODAY}:1:like`]: '3' }]);
    expect(await compareTallies(TODAY, options)).toBe(0);

    await rig.redis.hset(rig.keys.filtered(1), `${TODAY}:1:impression:spider`, 9, `${TODAY}:1:click:elsewhere`, 2);
    await rig.redis.hdel(rig.keys.filtered(1), `${TODAY}:1:click:data_center`);
    await rig.redis.del(rig.keys.eventTally(1));
    expect(await compareTallies(TODAY, { ...options, dryRun: true })).toBe(4);
    expect(await compareTallies(TODAY, options)).toBe(4);
    expect([await tally('filtered'), await tally('eventTally')]).toEqual(right);
    expect(await compareTallies(TODAY, options)).toBe(0);
    expect(await rig.redis.ttl(rig.keys.eventTally(1))).toBeGreaterThan(0);
  });
});

test('differences that appear under traffic are found and corrected in the background, and no count is lost', async () => {
  const reconcilers = Array.from({ length: 2 }, () => {
    const mended: string[] = [];
    const failures: Error[] = [];
    const reconciler = createReconciler({
      ...{ knex, counts, compareAccounts: comparing.compareAccounts, compareTallies, now: () => NOON, pauseMs: 20 },
      onMended: (scope) => mended.push(scope),
      onFailure: (fault) => failures.push(fault),
    });
    reconciler.start();
    return { reconciler, mended, failures };
  });
  const carrying = writer();
  carrying.start();
  const rollUp = createRollUp({
    ...{ knex, everyMs: 100 },
    onFailure: (fault) => {
      throw fault;
    },
  });
  rollUp.start();
  let running = true;
  let settled = 0;
  const whole = () => ({
    today: { impressions: settled, spendMicros: settled * PRICE },
    totalImpressions: settled,
    totalSpendMicros: settled * PRICE,
  });
  const some = async (): Promise<void> => {
    for (let i = 0; running && i < 50; i++) {
      await impression();
      settled++;
      await sleep(2);
    }
  };
  const traffic = (async () => {
    // Accounts are compared while no row is written for as long as two readings take. On a busy machine that is long, so each pause is longer.
    for (let pauseMs = 1_000; running; pauseMs = Math.min(1.5 * pauseMs, 15_000)) {
      await Promise.all(Array.from({ length: 4 }, some));
      if (running) await sleep(pauseMs);
    }
  })();
  // Up to two rounds, which rest between their steps; none of them rests after the one before it.
  const afterRounds = (check: () => Promise<void> | void): Promise<void> =>
    eventually(async () => {
      await restAfterRound(knex, 0);
      await check();
    }, 4 * PATIENCE_MS);
  try {
    const mended = () => reconcilers.flatMap((each) => each.mended);
    await eventually(async () => expect((await daily()).length).toBe(1));
    await knex('daily_counts').increment('impressions', 500);
    await seed('l', { impressions: -7, totalImpressions: -7, spendMicros: -7 * PRICE, totalSpendMicros: -7 * PRICE });
    await seed('c', { impressions: 9, totalImpressions: 9 });
    await afterRounds(() => expect(mended()).toEqual(expect.arrayContaining(['counts', 'accounts'])));
    await sleep(500);
    for (const [table, column] of [
      ['daily_counts', 'spend_micros'],
      ['hourly_counts', 'impressions'],
    ] as const) {
      const times = () => mended().filter((scope) => scope === 'counts').length;
      const before = times();
      await knex(table).decrement(column, 5);
      await afterRounds(() => expect(times()).toBeGreaterThan(before));
    }
    await sleep(500);
    for (const scope of ['counts', 'accounts'] as const)
      await afterRounds(async () => expect(await readReconciliation(knex, scope)).toMatchObject({ differences: 0 }));
    running = false;
    await traffic;
    await eventually(async () => expect(await rig.redis.xlen(rig.keys.events(1))).toBe(0));
    // An account that was compared with wrong counts is wrong until the next comparison.
    await afterRounds(async () => expect(await account()).toMatchObject(whole()));
  } finally {
    running = false;
    await traffic;
    await carrying.stop();
    await rollUp.stop();
    await Promise.all(reconcilers.map(({ reconciler }) => reconciler.stop()));
  }

  expect(settled).toBeGreaterThan(100);
  expect(await daily()).toEqual([
    { line_item_id: 1, creative_id: one.creative.id, serves: expect.any(Number), impressions: settled, clicks: 0, spend: settled * PRICE },
  ]);
  expect(await knex('hourly_counts').sum('impressions as impressions')).toEqual([{ impressions: String(settled) }]);
  expect(await account()).toMatchObject(whole());
  expect((await rig.accounts.campaigns(1, [1]))[0]).toMatchObject(whole());
  expect(reconcilers.flatMap(({ failures }) => failures)).toEqual([]);
  expect(await readReconciliation(knex, 'accounts')).toEqual({ differences: 0, ageSeconds: expect.any(Number) });
});
