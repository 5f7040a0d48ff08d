import fc from 'fast-check';
import knexFactory, { type Knex } from 'knex';
import { packSize } from '../../src/ledger/ad-size.ts';
import { createEventStore } from '../../src/events/postgres/event-store.ts';
import type { StoredEvent } from '../../src/events/postgres/stored-event.ts';
import { createRefilterStore } from '../../src/events/postgres/refilter-store.ts';
import { REQUEST_PARTS } from '../../src/events/postgres/request-parts.ts';
import { rollUpAll } from '../../src/events/postgres/roll-up-batches.ts';
import { createRequestCounts, type RequestBatch } from '../../src/events/postgres/request-counts.ts';
import { ROLL_UPS, type RollUpSource } from '../../src/events/postgres/roll-ups.ts';
import { countAll } from '../../src/events/postgres/waiting-rows.ts';
import { createRequestTallies } from '../../src/events/request-tallies.ts';
import { HIT_KINDS, type Hit, type InvalidReason } from '../../src/ledger/hit.ts';
import { createCountedStore } from './counted-store.ts';
import { eventOf, NOON } from './events.ts';
import { eventually } from '../../testkit/until.ts';
import { testDatabase } from '../setup/test-database.ts';

const DAY_MS = 86_400_000;
/** Ids are those of the publishers, from 1. Kolkata is 5:30 h ahead of UTC, Lord Howe shifts its clock by 30 minutes. */
const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/New_York', 'Australia/Lord_Howe'];
const tablesOf = (source: RollUpSource) => ROLL_UPS.filter((rollUp) => rollUp.of === source).map(({ table }) => table);
const [OF_HITS, OF_PLAYS] = [tablesOf('hits'), tablesOf('plays')];

let knex: Knex;
beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: await testDatabase(), pool: { min: 0, max: 8 } });
  for (const [i, time_zone] of ZONES.entries())
    await knex('publishers').insert({ name: 'p', domain: 'p.example', api_key_hash: String(i), time_zone });
});
beforeEach(() =>
  knex.raw(
    `truncate events, event_batches, event_signals, daily_counts, filtered_counts, event_counts, hourly_counts, request_batches, request_parts, ${ROLL_UPS.map(({ table }) => table).join(', ')}`,
  ),
);
afterAll(() => knex.destroy());

const sumsOf = async (table: string) => {
  const { rows } = await knex.raw<{ rows: Record<string, number>[] }>(
    `select coalesce(sum(impressions) filter (where reason = ''), 0)::int as impressions, coalesce(sum(impressions) filter (where reason <> ''), 0)::int as filtered,
            coalesce(sum(clicks) filter (where reason = ''), 0)::int as clicks, coalesce(sum(viewable) filter (where reason = ''), 0)::int as viewable,
            coalesce(sum(events) filter (where reason = ''), 0)::int as events, coalesce(sum(spend_micros), 0)::int as spend from ${table}`,
  );
  return rows[0];
};
/** The same from the event rows, and from the counts that the ledger is compared with. */
const sumsOfEvents = async () => {
  const { rows } = await knex.raw<{ rows: Record<string, number>[] }>(
    `select (count(*) filter (where kind = 'impression' and invalid_reason = ''))::int as impressions,
            (count(*) filter (where kind = 'impression' and invalid_reason <> ''))::int as filtered,
            (count(*) filter (where kind = 'click' and invalid_reason = ''))::int as clicks,
            (count(*) filter (where event_type = 'viewable' and invalid_reason = ''))::int as viewable,
            (count(*) filter (where event_type = 'like' and invalid_reason = ''))::int as events,
            coalesce(sum(billed_micros), 0)::int as spend from events`,
  );
  return rows[0];
};
/** What players report, by the roll-ups and by the event rows: net, filtered, and the errors of one code. */
const playsIn = async (table: string) => {
  const { rows } = await knex.raw<{ rows: Record<string, number>[] }>(
    `select coalesce(sum(starts) filter (where reason = ''), 0)::int as starts, coalesce(sum(completes) filter (where reason = ''), 0)::int as completes,
            coalesce(sum(completes) filter (where reason <> ''), 0)::int as filtered,
            coalesce(sum(errors) filter (where reason = '' and error_code = '303'), 0)::int as errors, sum(errors) filter (where error_code = '') as other from ${table}`,
  );
  return { ...rows[0], other: Number(rows[0]?.['other'] ?? 0) };
};
const playsInEvents = async () => {
  const { rows } = await knex.raw<{ rows: Record<string, number>[] }>(
    `select (count(*) filter (where event_type = 'start' and invalid_reason = ''))::int as starts,
            (count(*) filter (where event_type = 'complete' and invalid_reason = ''))::int as completes,
            (count(*) filter (where event_type = 'complete' and invalid_reason <> ''))::int as filtered,
            (count(*) filter (where event_type = 'error_303' and invalid_reason = ''))::int as errors from events`,
  );
  return { ...rows[0], other: 0 };
};
const sumsOfCounts = async () => {
  const { rows } = await knex.raw<{ rows: Record<string, number>[] }>(
    `select coalesce(sum(impressions), 0)::int as impressions, coalesce(sum(clicks), 0)::int as clicks, coalesce(sum(spend_micros), 0)::int as spend from daily_counts`,
  );
  return rows[0];
};

const anyEvent = fc
  .record({
    publisherId: fc.integer({ min: 1, max: ZONES.length + 1 }),
    lineItemId: fc.integer({ min: 1, max: 3 }),
    creativeId: fc.integer({ min: 1, max: 3 }),
    placementId: fc.constantFrom('top', 'side'),
    kind: fc.constantFrom(...HIT_KINDS),
    type: fc.constantFrom('viewable', 'like', 'start', 'complete', 'mute', 'error_303'),
    reason: fc.constantFrom<'' | InvalidReason>('', '', 'spider', 'no_impression'),
    country: fc.constantFrom(null, 'DE', 'US'),
    region: fc.constantFrom(undefined, 'DE-BE'),
    device: fc.constantFrom(null, 'mobile'),
    browser: fc.constantFrom(undefined, 'Firefox'),
    // Two days around the end of summer time in Europe.
    atMs: fc.integer({ min: Date.UTC(2026, 9, 24, 12), max: Date.UTC(2026, 9, 26, 12) }),
    price: fc.nat(5_000),
  })
  .map(({ publisherId, lineItemId, creativeId, placementId, kind, type, reason, atMs, price, ...place }): StoredEvent => {
    const ad = { publisherId, lineItemId, creativeId, placementId, tokenExpS: Math.ceil(atMs / 1000) + 60 };
    const signals = { network: null, agent: null, origin: null, elsewhere: false };
    const hit: Partial<Hit> = {
      ...place,
      kind,
      eventType: kind === 'event' ? type : '',
      signals,
      invalidReason: reason === 'spider' ? reason : '',
    };
    return {
      ...eventOf(ad, hit, atMs),
      reason,
      // Also a complete view bills.
      billedMicros: reason === '' && (kind !== 'event' || type === 'complete') ? price : 0,
    };
  });

test('every roll-up has the sums of the event rows and of the counts, whatever is stored twice, at once or filtered later', async () => {
  const store = createEventStore({ knex });
  const refilter = createRefilterStore({ knex });
  await fc.assert(
    fc.asyncProperty(fc.array(anyEvent, { minLength: 1, maxLength: 60 }), fc.nat(), async (events, seed) => {
      const parts = [events.slice(0, events.length >> 1), events.slice(events.length >> 1), events.slice(0, 1 + (seed % events.length))];
      await Promise.all([...parts.map((part) => store.append(part)), ...(seed % 3 === 0 ? [rollUpAll(knex)] : [])]);
      await store.append(events);
      // Some rows become filtered, some that were filtered are taken out to be settled again.
      for (const day of new Set(events.map(({ hit }) => hit.ad.day)))
        await refilter.changeTokens({ day, after: '', limit: 100, endedBefore: new Date(Date.UTC(2027, 0, 1)) }, (rows) =>
          Promise.resolve(
            rows.flatMap((row, i) => {
              const counts = row.reason === '';
              const reason: InvalidReason | null = counts ? 'data_center' : null;
              return (i + seed) % 2 === 0 ? [{ row, reason, hit: eventOf().hit }] : [];
            }),
          ),
        );
      await Promise.all([rollUpAll(knex), rollUpAll(knex)]);
      const expected = await sumsOfEvents();
      const { impressions, clicks, spend } = expected ?? {};
      expect(await sumsOfCounts()).toEqual({ impressions, clicks, spend });
      for (const table of OF_HITS) expect([table, await sumsOf(table)]).toEqual([table, expected]);
      const plays = await playsInEvents();
      for (const table of OF_PLAYS) expect([table, await playsIn(table)]).toEqual([table, plays]);
    }),
    { numRuns: 15 },
  );
});

test('days and hours are those of the publisher, also in zones with half hours and where a clock repeats an hour', async () => {
  const at = (publisherId: number, iso: string) => eventOf({ publisherId, lineItemId: publisherId }, {}, Date.parse(iso));
  await createCountedStore({ knex }).append([
    at(2, '2026-10-25T00:30:00Z'),
    at(2, '2026-10-25T01:30:00Z'),
    at(2, '2026-10-25T22:59:59Z'),
    at(2, '2026-10-25T23:00:00Z'),
    at(3, '2026-10-24T18:29:59Z'),
    at(3, '2026-10-24T18:30:00Z'),
    at(9, '2026-10-24T23:59:59Z'),
  ]);
  const { rows } = await knex.raw<{ rows: Record<string, unknown>[] }>(
    `select line_item_id as p, to_char(day, 'MM-DD') as day, to_char(hour at time zone 'utc', 'DD HH24:MI') as hour, impressions::int as n
     from report_hours order by 1, report_hours.hour`,
  );
  expect(rows.map(({ p, day, hour, n }) => [p, day, hour, n])).toEqual([
    // 02:30 twice, before and after the clock went back.
    [2, '10-25', '25 00:00', 1],
    [2, '10-25', '25 01:00', 1],
    [2, '10-25', '25 22:00', 1],
    [2, '10-26', '25 23:00', 1],
    [3, '10-24', '24 17:30', 1],
    [3, '10-25', '24 18:30', 1],
    // A publisher that is gone.
    [9, '10-24', '24 23:00', 1],
  ]);
});

test('a hit keeps the zone in which it was counted: filtering it after a change of the zone leaves nothing behind', async () => {
  const event = eventOf(
    { publisherId: 1, tokenExpS: NOON / 1000 },
    { signals: { network: null, agent: null, origin: null, elsewhere: false } },
    Date.UTC(2026, 5, 15, 23),
  );
  await createCountedStore({ knex }).append([event]);
  await knex('publishers').where({ id: 1 }).update({ time_zone: 'Pacific/Auckland' });
  await createRefilterStore({ knex }).changeTokens({ day: event.hit.ad.day, after: '', limit: 10, endedBefore: new Date() }, (rows) =>
    Promise.resolve(rows.map((row) => ({ row, reason: 'spider' as const, hit: event.hit }))),
  );
  await knex('publishers').where({ id: 1 }).update({ time_zone: 'UTC' });
  const days = await knex('report_days')
    .where('impressions', '<>', 0)
    .select('reason', knex.raw(`to_char(day, 'MM-DD') as day, impressions::int as n`));
  expect(days).toEqual([{ reason: 'spider', day: '06-15', n: 1 }]);
});

test('Postgres refuses a zone that it does not know, and knows every zone that the API accepts', async () => {
  await expect(knex('publishers').where({ id: 1 }).update({ time_zone: 'Mars/Olympus' })).rejects.toThrow('not recognized');
  const { rows } = await knex.raw<{ rows: unknown[] }>(
    'select name from unnest(?::text[]) as name where name not in (select name from pg_timezone_names)',
    [Intl.supportedValuesOf('timeZone')] as unknown as Knex.RawBinding,
  );
  expect(rows).toEqual([]);
});

test('serves are added as they grow, once, however often and by how many replicas a tally is copied', async () => {
  const store = createEventStore({ knex });
  const day = Math.floor(Date.now() / DAY_MS);
  const tally = (serves: number) => [{ day, publisherId: 1, campaignId: 2, lineItemId: 3, creativeId: 4, serves }];
  await Promise.all([7, 3, 7, 5, 9, 9].map((serves) => store.recordServes(tally(serves))));
  await store.recordServes(tally(12));
  await store.recordServes(tally(11));
  for (const table of ['daily_counts', 'report_days', 'report_hours'])
    expect([table, await knex(table).sum({ n: 'serves' })]).toEqual([table, [{ n: '12' }]]);
  // A tally of a day that is over stays on it.
  await store.recordServes([{ day: day - 1, publisherId: 1, campaignId: 2, lineItemId: 3, creativeId: 4, serves: 2 }]);
  const days = await knex('report_days').orderBy('day').select(knex.raw(`day - date '1970-01-01' as day`), 'serves');
  expect(days).toEqual([
    { day: day - 1, serves: '2' },
    { day, serves: '12' },
  ]);
});

describe('requests and bids', () => {
  const TOP = { id: 'top', width: 300, height: 250 };
  const requestsOf = (table: string) =>
    knex(table).orderBy('reason').select('placement_id', 'size', 'reason', knex.raw('requests::int as n'));

  it('are added once for each batch, also when its answer was lost', async () => {
    const counts = createRequestCounts({ knex });
    const sent: RequestBatch[] = [];
    let isLost = true;
    let nowMs = NOON;
    const tallies = createRequestTallies({
      store: {
        add: async (replica, batch) => {
          sent.push(batch);
          await counts.add(replica, batch);
          if (isLost) throw new Error('the connection was lost after the commit');
        },
      },
      ...{
        replica: '6f1c2f0e-7c1b-4a39-9d5e-0d8a4c1f2b3a',
        now: () => nowMs,
        flushMs: 5,
        onFailure: () => undefined,
      },
    });
    const visitor = { country: 'DE', device: 'mobile', browser: null };
    for (let i = 0; i < 3; i++) tallies.request(1, TOP, visitor, '');
    tallies.request(1, TOP, visitor, 'targeting');
    tallies.request(1, undefined, visitor, 'unknown_placement');
    const { ad } = eventOf({ size: packSize(320, 50) }).hit;
    for (let i = 0; i < 2; i++) tallies.serve(ad, visitor);
    const offer = { publisherId: 1, placementId: 'top', bidderId: 3, dealId: undefined };
    for (const dealId of [undefined, 'gold']) tallies.countBid({ ...offer, dealId }, 'bids', '');
    for (let i = 0; i < 2; i++) tallies.countBid(offer, 'refused', 'below_floor');
    const sentMoreThan = (times: number) => eventually(() => expect(sent.length).toBeGreaterThan(times));
    tallies.start();
    await sentMoreThan(1);
    tallies.request(1, TOP, visitor, '');
    tallies.countBid(offer, 'bids', '');
    nowMs += 1_800_000;
    await sentMoreThan(sent.length + 1);
    isLost = false;
    await tallies.stop();
    expect(new Set(sent.map(({ batch }) => batch)).size).toBe(2);
    await countAll(knex, REQUEST_PARTS);
    const expected = [
      { placement_id: 'top', size: '300x250', reason: '', n: 4 },
      { placement_id: 'top', size: '300x250', reason: 'targeting', n: 1 },
      { placement_id: '', size: '', reason: 'unknown_placement', n: 1 },
    ];
    for (const table of ['request_days', 'request_hours']) expect(await requestsOf(table)).toEqual(expected);
    for (const [table, keys] of [
      ['request_countries', { country: 'DE' }],
      ['request_devices', { device: 'mobile', browser: '' }],
    ] as const)
      expect(await knex(table).where(keys).orderBy('reason').select('reason', knex.raw('requests::int as n'))).toEqual(
        expected.map(({ reason, n }) => ({ reason, n })),
      );
    for (const [table, keys] of [
      ['report_days', { creative_id: 4, placement_id: 'top', size: '320x50' }],
      ['report_hours', { creative_id: 4, placement_id: 'top', size: '320x50' }],
      ['report_countries', { country: 'DE' }],
      ['report_devices', { device: 'mobile', browser: '' }],
    ] as const)
      expect([table, await knex(table).select('line_item_id', knex.raw('serves::int')).where(keys)]).toEqual([
        table,
        [{ line_item_id: 3, serves: 2 }],
      ]);
    const bidsOf = (table: string) => knex(table).orderBy('reason').select('bidder_id', 'reason', knex.raw('bids::int, refused::int'));
    const refused = { bidder_id: 3, reason: 'below_floor', bids: 0, refused: 2 };
    for (const unit of ['days', 'hours']) {
      expect(await bidsOf(`bid_${unit}`)).toEqual([{ bidder_id: 3, reason: '', bids: 2, refused: 0 }, refused]);
      expect(await bidsOf(`deal_${unit}`)).toEqual([{ bidder_id: 3, reason: '', bids: 1, refused: 0 }]);
    }
  });
});
