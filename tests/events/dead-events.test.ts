import { Redis } from 'ioredis';
import knexFactory, { type Knex } from 'knex';
import { createEventWriter, type EventWriter } from '../../src/events/event-writer.ts';
import { spellOut } from '../../src/events/read-event.ts';
import { createDeadEvents, type DeadEvent } from '../../src/events/postgres/dead-events.ts';
import { replayDeadEvents } from '../../src/events/replay-dead-events.ts';
import { lastingRefusal } from '../../src/events/store-each.ts';
import { createLedgerKeys } from '../../src/ledger/ledger-keys.ts';
import { eventually } from '../../testkit/until.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { eventOf, fieldsOf, NOON } from './events.ts';
import { createCountedStore } from './counted-store.ts';

const keys = createLedgerKeys(2);
const DAY = Math.floor(NOON / 86_400_000);

let knex: Knex;
let redis: Redis;
let writer: EventWriter;
let dead: DeadEvent[];
let failures: Error[];

beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: await testDatabase() });
  redis = new Redis(await testRedisUrl());
});
beforeEach(async () => {
  await redis.flushdb();
  await knex.raw('truncate events, event_batches, daily_counts, filtered_counts, event_counts, hourly_counts, dead_events');
  [dead, failures] = [[], []];
  writer = createEventWriter({
    redis,
    link: { upOf: () => true },
    keys,
    store: createCountedStore({ knex }),
    deadEvents: createDeadEvents({ knex }),
    consumer: 'test',
    idleMs: 10,
    flushMs: 50,
    onFailure: (fault) => failures.push(fault),
    onDead: (one) => dead.push(one),
  });
});
afterEach(() => writer.stop());
afterAll(async () => {
  redis.disconnect();
  await knex.destroy();
});

const add = (shard: number, ...fields: string[]) => redis.xadd(keys.events(shard), '*', ...fields);
/** What tally.lua does for this many serves of shard 0. */
const serve = async (counts: Readonly<Record<string, number>>) => {
  await redis.hset(keys.serves(0), counts);
  await redis.sadd(keys.changedServes(0), ...Object.keys(counts));
};
const waiting = async () => (await Promise.all([0, 1].map((shard) => redis.xlen(keys.events(shard))))).reduce((a, b) => a + b);
const counts = () =>
  knex('daily_counts')
    .select('line_item_id', 'campaign_id', 'publisher_id', knex.raw('impressions::int, serves::int'))
    .orderBy(['line_item_id', 'campaign_id', 'publisher_id']);
const row = (lineItem: number, campaign: number, publisher: number, impressions: number, serves = 0) => ({
  ...{ line_item_id: lineItem, campaign_id: campaign, publisher_id: publisher, impressions, serves },
});

test('events of one line item that name two campaigns, or two publishers, are stored and counted apart', async () => {
  for (const ad of [{}, { campaignId: 20 }, { publisherId: 10 }, { campaignId: 20 }]) await add(0, ...fieldsOf(eventOf(ad)));
  await serve({ [`${DAY}:1:2:3:4`]: 7, [`${DAY}:1:20:3:4`]: 8 });
  writer.start();
  await eventually(async () => expect(await counts()).toEqual([row(3, 2, 1, 1, 7), row(3, 2, 10, 1), row(3, 20, 1, 2, 8)]));
  expect([await waiting(), dead, failures]).toEqual([0, [], []]);
});

test('a batch that Postgres refuses is divided: each refused event is stored as a dead event with its reason, all others as rows', async () => {
  const refused = [
    { userHash: 'a\0b' }, // 22021
    { lineItemId: 2 ** 40 }, // 22003
    { tokenId: Array.from({ length: 9_000 }, () => Math.random().toString(36)).join('') }, // 54000: too large for the unique index
  ];
  for (let i = 0; i < 300; i++) {
    const bad = refused[(i - 50) / 100];
    await add(0, ...fieldsOf(eventOf(bad)));
  }
  writer.start();
  await eventually(async () => expect(await waiting()).toBe(0));
  expect(await counts()).toEqual([row(3, 2, 1, 297)]);
  expect(dead.map(({ sqlState }) => sqlState)).toEqual(['22021', '22003', '54000']);
  expect(await knex('dead_events').orderBy('id').select('source', 'shard', 'entry_id', 'sqlstate', 'reason')).toEqual(
    dead.map(({ source, shard, entryId, sqlState, reason }) => ({ source, shard, entry_id: entryId, sqlstate: sqlState, reason })),
  );
  expect(failures).toEqual([]);
});

test('an entry that cannot be read is stored as a dead event, with characters that Postgres refuses', async () => {
  await add(0, 'e', '{"ad"\0', 'at', '1');
  await add(0, 'other', '1');
  await add(0, ...fieldsOf(eventOf({ day: 1e9 })));
  await add(0, ...fieldsOf(eventOf()));
  writer.start();
  await eventually(async () => expect(await waiting()).toBe(0));
  expect(await counts()).toEqual([row(3, 2, 1, 1)]);
  const letters = await createDeadEvents({ knex }).read('0', 10);
  expect(letters.map(({ fields }) => fields.slice(0, 2))).toEqual([
    ['e', '{"ad"\0'],
    ['other', '1'],
    ['e', expect.any(String)],
  ]);
  expect(letters.map(({ reason }) => reason)).toEqual([expect.any(String), expect.any(String), 'the hit has no valid day']);
});

test('of an entry with several events, each one that cannot be read or stored is a dead event with its own fields', async () => {
  const late = { ...eventOf({ publisherId: 10 }), reason: 'no_impression' } as const;
  const [unread, refused] = [
    ['e', 'no JSON', 'at', '1', 'billed', '1'],
    [...fieldsOf({ ...eventOf({ userHash: 'a\0b' }), reason: 'fast_click' })],
  ];
  const events = [fieldsOf(eventOf()), unread, fieldsOf(late), refused, fieldsOf(eventOf())];
  await add(0, ...events.flat());
  await add(0, ...unread);
  writer.start();
  await eventually(async () => expect(await waiting()).toBe(0));
  await eventually(async () => expect(await counts()).toEqual([row(3, 2, 1, 2)]));
  expect(await knex('filtered_counts').select('publisher_id', 'reason', 'count')).toEqual([
    { publisher_id: 10, reason: 'no_impression', count: '1' },
  ]);
  expect(dead.map(({ fields }) => fields)).toEqual([unread, unread, spellOut(refused)]);
  expect(await knex('dead_events').count()).toEqual([{ count: '3' }]);
});

test('a serve count that cannot be stored neither stops the others nor the events', async () => {
  await serve({ [`${DAY}:1:2:3:4`]: 5, [`${DAY}:1:2:x:4`]: 5, [`${DAY}:1:2:99999999999:4`]: 5, [`${DAY}:1:2:4:4`]: 6 });
  await add(1, ...fieldsOf(eventOf()));
  writer.start();
  await eventually(async () => expect(await counts()).toEqual([row(3, 2, 1, 1, 5), row(4, 2, 1, 0, 6)]));
  await eventually(() =>
    expect(new Set(dead.map(({ source, sqlState }) => `${source} ${sqlState}`))).toEqual(new Set(['serves null', 'serves 22003'])),
  );
  expect(failures).toEqual([]);
});

test('a fault that passes makes no dead events', async () => {
  await knex.raw('alter table daily_counts rename to elsewhere');
  await add(0, ...fieldsOf(eventOf()));
  writer.start();
  await eventually(() => expect(failures.length).toBeGreaterThan(0));
  await knex.raw('alter table elsewhere rename to daily_counts');
  await eventually(async () => expect(await counts()).toEqual([row(3, 2, 1, 1)]));
  expect(dead).toEqual([]);
});

test.each([
  ['08006', false],
  ['40P01', false],
  ['53300', false],
  ['57014', false],
  ['25006', false],
  ['42P01', false],
  ['EPIPE', false],
  ['ECONNREFUSED', false],
  [undefined, false],
  ['21000', true],
  ['22021', true],
  ['23514', true],
  ['54000', true],
])('whether a refusal with the code %s lasts: %s', (code, lasts) => {
  expect(lastingRefusal(Object.assign(new Error('refused'), { code })) !== undefined).toBe(lasts);
});

test('dead events are stored again on request, once their cause is gone', async () => {
  const deadEvents = createDeadEvents({ knex });
  const store = createCountedStore({ knex });
  const restoreHit = () => Promise.reject(new Error('none of them is a hit'));
  const about = { source: 'events', shard: 0, sqlState: '22003', reason: `value "${2 ** 40}" is out of range for type integer` } as const;
  const bad = { ...about, entryId: '2-0', fields: fieldsOf(eventOf({ lineItemId: 2 ** 40 })) };
  for (let i = 0; i < 2; i++) await deadEvents.add({ ...about, entryId: '1-0', fields: fieldsOf(eventOf({ tokenId: 'once' })) });
  await deadEvents.add(bad);
  await deadEvents.add({ ...about, source: 'serves', entryId: 'f', fields: [`${DAY}:1:2:3:4`, '9'] });
  expect(await deadEvents.count()).toBe(3);

  expect((await replayDeadEvents({ deadEvents, store, restoreHit, toSink: restoreHit, dryRun: true })).refused).toHaveLength(3);
  expect(await replayDeadEvents({ deadEvents, store, restoreHit, toSink: restoreHit, dryRun: false })).toEqual({
    stored: 2,
    refused: [expect.objectContaining(bad)],
  });
  expect(await counts()).toEqual([row(3, 2, 1, 1, 9)]);
  expect(await deadEvents.count()).toBe(1);
});
