import knexFactory, { type Knex } from 'knex';
import { dayRuleText, endOfDay, localDayOf } from '../../src/base/local-day.ts';
import { dateOfDay, dayOf } from '../../src/base/utc-day.ts';
import { curveAt } from '../../src/catalog/snapshot/traffic-curve.ts';
import { createRebuildCampaigns } from '../../src/events/books/rebuild-campaigns.ts';
import { createCompareAccounts } from '../../src/events/compare-accounts.ts';
import { compareAllAccounts } from '../../src/events/compare-books.ts';
import { createEventWriter } from '../../src/events/event-writer.ts';
import { createCountStore } from '../../src/events/postgres/count-store.ts';
import { createDeadEvents } from '../../src/events/postgres/dead-events.ts';
import { createCountedStore } from './counted-store.ts';
import { readPublisherDays } from '../../src/events/postgres/publisher-days.ts';
import { createBooksServer } from '../../src/ledger/books/books-server.ts';
import { VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import { createAccountBooks } from '../../src/ledger/read/account-books.ts';
import { createAccountReader } from '../../src/ledger/read/read-accounts.ts';
import { eventually } from '../../testkit/until.ts';
import { candidate, DAY, HOUR, lineItem, MINUTE } from '../decision/candidates.ts';
import { createLedgerRig, servedAd, type LedgerRig } from '../ledger/ledger-rig.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

const one = candidate(lineItem());
const ends = () => Date.now() + DAY;
let knex: Knex;
let rig: LedgerRig;

beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: await testDatabase(), pool: { min: 0, max: 10 } });
  await knex('publishers').insert({ name: 'p', domain: 'p.example', api_key_hash: 'h' });
  const flight = { start_at: '2026-01-01', end_at: '2999-01-01' };
  await knex('campaigns').insert({ publisher_id: 1, name: 'c', ...flight });
  await knex('line_items').insert({ campaign_id: 1, name: 'l', active: true, ...flight, cpm_micros: 1, pacing: 'ASAP' });
});
beforeEach(async () => {
  await knex.raw('truncate events, event_batches, daily_counts, open_holds');
  rig = await createLedgerRig(await testRedisUrl());
});
afterEach(() => rig.close());
afterAll(() => knex.destroy());

const moveTo = (zone: string) => knex('publishers').update({ time_zone: zone });
const daysAt = (atMs: number) => readPublisherDays(knex, atMs);

const impression = async (atMs: number): Promise<void> => {
  await rig.at(atMs);
  const curve = curveAt(atMs, undefined, undefined, (await daysAt(atMs)).rule(1));
  await rig.settle(servedAd(await rig.reserve([[one]], null, curve), one));
};

/** Stores what is in the stream. */
const carry = async (): Promise<void> => {
  const writer = createEventWriter({
    ...{
      redis: rig.redis,
      link: { upOf: () => true },
      keys: rig.keys,
      store: createCountedStore({ knex }),
      deadEvents: createDeadEvents({ knex }),
    },
    ...{ consumer: 'test', idleMs: 5, flushMs: 50, onDead: () => undefined },
    onFailure: (fault) => {
      throw fault;
    },
  });
  writer.start();
  await eventually(async () => expect(await rig.redis.xlen(rig.keys.events(1))).toBe(0));
  await writer.stop();
};

/** Compares as the reconciler does; `today`: as a replica that knows no zone would. */
const compare = async (atMs: number, knowsZones = true) => {
  const days = await daysAt(atMs);
  const books = createAccountBooks({ redis: rig.redis, keys: rig.keys, expiresAtMs: ends, daysOf: days.rule, clock: VIRTUAL_CLOCK_KEY });
  const compareAccounts = createCompareAccounts({ knex, books, mayLower: () => Promise.resolve(true) });
  const comparing = { counts: createCountStore({ knex }), compareAccounts, dryRun: false, rest: () => Promise.resolve() };
  const adjusted = await compareAllAccounts({ ...comparing, ...(knowsZones && { todayOf: days.today }) }, dayOf(atMs));
  return adjusted.map(({ kind, day, difference }) => [kind, day, difference.impressions, difference.yesterdayImpressions]);
};

const stored = () => knex('daily_counts').orderBy('day').select(knex.raw(`to_char(day, 'YYYY-MM-DD') as day, impressions::int`));

test.each(['America/Sao_Paulo', 'Asia/Tokyo', 'Asia/Kathmandu'])(
  'accounts and rows of a publisher in %s have the same days, and are made anew by them',
  async (zone) => {
    await moveTo(zone);
    const { rule } = await daysAt(Date.UTC(2026, 5, 15, 12));
    const midnightMs = endOfDay(rule(1), localDayOf(rule(1), Date.UTC(2026, 5, 15, 12)));
    const today = localDayOf(rule(1), midnightMs);
    await impression(midnightMs - 30 * MINUTE);
    await impression(midnightMs - MINUTE);
    await impression(midnightMs + MINUTE);
    const nowMs = midnightMs + 30 * MINUTE;
    await rig.at(nowMs);
    expect(await compare(nowMs)).toEqual([]);
    await carry();
    expect(await stored()).toEqual([
      { day: dateOfDay(today - 1), impressions: 2 },
      { day: dateOfDay(today), impressions: 1 },
    ]);
    expect(await compare(nowMs)).toEqual([]);
    expect(await compare(nowMs, false)).toEqual([]);
    await rig.redis.del(rig.keys.accounts(1));
    const made = [
      ['c', today, 1, 2],
      ['l', today, 1, 2],
    ];
    expect(await compare(nowMs)).toEqual(made);
    expect(await compare(nowMs)).toEqual([]);
    const [account] = await rig.accounts.lineItems(1, [1]);
    expect(account).toMatchObject({ day: today, today: { impressions: 1 }, yesterday: { impressions: 2 }, totalImpressions: 3 });
  },
);

test('accounts that a change of zone left a day ahead are compared by the day that they have', async () => {
  await moveTo('Asia/Tokyo');
  const atMs = Date.UTC(2026, 5, 15, 20);
  await impression(atMs);
  await moveTo('America/Sao_Paulo');
  await impression(atMs + HOUR);
  const ahead = Date.UTC(2026, 5, 16) / DAY;
  expect((await rig.accounts.lineItems(1, [1]))[0]).toMatchObject({ day: ahead, today: { impressions: 2 } });
  await carry();
  expect(await stored()).toEqual([{ day: '2026-06-16', impressions: 2 }]);
  expect(await compare(atMs + HOUR)).toEqual([]);
  await knex('daily_counts').increment('impressions', 1);
  expect(await compare(atMs + HOUR)).toEqual([
    ['c', ahead, 1, 0],
    ['l', ahead, 1, 0],
  ]);
  expect(await compare(atMs + HOUR)).toEqual([]);
});

test('accounts that are rebuilt have the publisher’s day, and their hash knows its days', async () => {
  // One of them has another day than UTC at each moment.
  for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'UTC']) {
    await rig.redis.flushdb();
    await knex.raw('truncate daily_counts');
    await moveTo(zone);
    const days = await daysAt(Date.now());
    const today = days.today(1);
    const key = { publisher_id: 1, campaign_id: 1, line_item_id: 1, creative_id: 1 };
    for (const [day, impressions] of [
      [today, 3],
      [today - 1, 5],
    ] as const)
      await knex('daily_counts').insert({ ...key, day: dateOfDay(day), impressions });
    const server = createBooksServer({ redis: rig.redis, keys: rig.keys, scopeOf: () => 0, expiresAtMs: ends });
    await server.open(0, 'epoch', 'rebuilding');
    const wishes = [{ publisherId: 1, campaigns: [1], isWhole: true }];
    const rebuildCampaigns = createRebuildCampaigns({ knex, server, shardOf: rig.keys.shardOf });
    expect(await rebuildCampaigns({ epoch: 'epoch', atMs: Date.now(), wishes })).toBe('rebuilt');
    expect(await rig.redis.hget(rig.keys.accounts(1), '~')).toBe(dayRuleText(days.rule(1)));
    const [account] = await createAccountReader({ redis: rig.redis, keys: rig.keys }).lineItems(1, [1]);
    expect(account).toMatchObject({ day: today, today: { impressions: 3 }, yesterday: { impressions: 5 }, totalImpressions: 8 });
  }
});

test.each(['Pacific/Pago_Pago', 'Pacific/Kiritimati'])(
  'accounts of the Pacific/Kiritimati that are rebuilt in %s have the day on which they have sold',
  async (zone) => {
    await moveTo('Pacific/Kiritimati');
    const atMs = Date.now();
    const day = (await daysAt(atMs)).today(1);
    await impression(atMs);
    await carry();
    // This one is still on its way to its row.
    await impression(atMs);
    await moveTo(zone);
    const account = { day, today: { impressions: 2 }, totalImpressions: 2 };
    expect((await rig.accounts.lineItems(1, [1]))[0]).toMatchObject(account);
    await rig.redis.del(rig.keys.accounts(1));
    const server = createBooksServer({ redis: rig.redis, keys: rig.keys, scopeOf: () => 0, expiresAtMs: ends });
    await server.open(0, 'epoch', 'rebuilding');
    const wishes = [{ publisherId: 1, campaigns: [1], isWhole: true }];
    const rebuildCampaigns = createRebuildCampaigns({ knex, server, shardOf: rig.keys.shardOf });
    expect(await rebuildCampaigns({ epoch: 'epoch', atMs, wishes })).toBe('rebuilt');
    expect((await rig.accounts.lineItems(1, [1]))[0]).toMatchObject(account);
    expect(await compare(atMs)).toEqual([]);
    // As where the key was deleted: the comparison makes them anew.
    await rig.redis.del(rig.keys.accounts(1));
    expect(await compare(atMs)).toEqual([
      ['c', day, 2, 0],
      ['l', day, 2, 0],
    ]);
    expect((await rig.accounts.lineItems(1, [1]))[0]).toMatchObject(account);
  },
);
