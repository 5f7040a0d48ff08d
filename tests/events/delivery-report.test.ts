import fc from 'fast-check';
import knexFactory, { type Knex } from 'knex';
import { dateOfDay, dayOf, MS_PER_DAY } from '../../src/base/utc-day.ts';
import { readReportRows, readReportTotals, type CreativeDay } from '../../src/events/postgres/delivery-report.ts';
import { readWholeReport } from '../../src/reports/record-report/record-reports.ts';
import { book, insertRow } from '../../testkit/book.ts';
import { testDatabase } from '../setup/test-database.ts';

const FROM = Date.UTC(2026, 5, 1);
const ALL = { from: '2026-05-01', to: '2026-09-30' };

let knex: Knex;
beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: await testDatabase() });
});
afterAll(() => knex.destroy());

interface Deal {
  readonly campaignId: number;
  readonly lineItemId: number;
  readonly add: (date: string, creativeId: number, impressions: number, changes?: object) => Promise<unknown>;
}

/** A campaign with one Flat line item. */
const deal = async (feeMicros: number, startMs: number, endMs: number): Promise<Deal> => {
  const fee = { name: 'deal', budget_type: 'Flat', budget_micros: feeMicros, start_at: new Date(startMs), end_at: new Date(endMs) };
  const { campaignId, publisherId, lineItemIds } = await book(knex, { lineItems: [fee] });
  const [lineItemId = 0] = lineItemIds;
  return {
    campaignId,
    lineItemId,
    add: (date, creativeId, impressions, changes = {}) =>
      knex('daily_counts').insert({
        ...{ day: date, publisher_id: publisherId, campaign_id: campaignId, line_item_id: lineItemId, creative_id: creativeId },
        ...{ serves: impressions, impressions, ...changes },
      }),
  };
};

const read = ({ campaignId }: Pick<Deal, 'campaignId'>, days = ALL, page = { limit: 10_000, offset: 0 }) =>
  readReportRows(knex, 'creative', { campaignIds: [campaignId], ...days }, page);
const spendOf = (rows: readonly CreativeDay[]) => rows.map(({ date, creativeId, spendMicros }) => [date, creativeId, spendMicros]);

test('a fee is spread evenly over the days of the flight, with or without delivery', async () => {
  expect(spendOf(await read(await deal(1_000_000, FROM, FROM + 3 * MS_PER_DAY)))).toEqual([
    ['2026-06-01', null, 333_333],
    ['2026-06-02', null, 333_333],
    ['2026-06-03', null, 333_334],
  ]);
});

test('the creatives of a day share its part by their impressions; rows before and after the flight, and of others, stay', async () => {
  const booked = await deal(2_000_000, FROM, FROM + 2 * MS_PER_DAY);
  const other = await insertRow(knex, 'line_items', {
    ...{ campaign_id: booked.campaignId, name: 'other', active: true, cpm_micros: 1, priority: 2 },
    ...{ start_at: new Date(FROM), end_at: new Date(FROM + MS_PER_DAY) },
  });
  await booked.add('2026-05-31', 1, 3);
  await booked.add('2026-06-01', 1, 2);
  await booked.add('2026-06-01', 2, 1);
  await booked.add('2026-06-01', 9, 5, { line_item_id: other, spend_micros: 10 });
  await booked.add('2026-06-02', 1, 0);
  await booked.add('2026-06-02', 2, 0);
  await booked.add('2026-06-03', 1, 3);
  const rows = await read(booked);
  expect(spendOf(rows)).toEqual([
    ['2026-05-31', 1, 0],
    ['2026-06-01', 1, 666_666],
    ['2026-06-01', 2, 333_334],
    ['2026-06-01', 9, 10],
    ['2026-06-02', 1, 1_000_000],
    ['2026-06-02', 2, 0],
    ['2026-06-03', 1, 0],
  ]);
  const pages = await Promise.all([0, 3, 6].map((offset) => read(booked, ALL, { limit: 3, offset })));
  expect(pages.flat()).toEqual(rows);
});

test('a day that is partly in the flight earns its part, and a report of some days only theirs', async () => {
  const booked = await deal(4_000_000, FROM + MS_PER_DAY / 2, FROM + 2.5 * MS_PER_DAY);
  expect(spendOf(await read(booked)).map(([, , micros]) => micros)).toEqual([1_000_000, 2_000_000, 1_000_000]);
  expect(spendOf(await read(booked, { from: '2026-06-02', to: '2026-06-02' }))).toEqual([['2026-06-02', null, 2_000_000]]);
});

test('the days of any flight sum to the fee, to the micro, and so do the totals', async () => {
  const anyFee = fc.record({
    feeMicros: fc.integer({ min: 1, max: 1_000_000_000_000_000 }),
    startMs: fc.integer({ min: FROM, max: FROM + 20 * MS_PER_DAY }),
    lengthMs: fc.integer({ min: 1, max: 90 * MS_PER_DAY }),
    impressions: fc.array(fc.nat(10_000), { maxLength: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(anyFee, async ({ feeMicros, startMs, lengthMs, impressions }) => {
      const booked = await deal(feeMicros, startMs, startMs + lengthMs);
      for (const [i, count] of impressions.entries()) await booked.add(dateOfDay(dayOf(startMs)), i + 1, count);
      const rows = await read(booked);
      expect(rows.reduce((sum, { spendMicros }) => sum + spendMicros, 0)).toBe(feeMicros);
      expect(rows.every(({ spendMicros }) => Number.isSafeInteger(spendMicros) && spendMicros >= 0)).toBe(true);
      const totals = await readReportTotals(knex, 'creative', { campaignIds: [booked.campaignId], ...ALL });
      expect(totals).toMatchObject({ spendMicros: feeMicros, feeMicros, rows: rows.length });
    }),
    { numRuns: 30 },
  );
});

test('a whole report is read in pages of at most 500 rows, each row once and in order', async () => {
  const booked = await deal(1_000_000, FROM, FROM + 3 * MS_PER_DAY);
  const { publisher_id } = await knex('campaigns').where({ id: booked.campaignId }).first<{ publisher_id: number }>('publisher_id');
  await knex.raw(
    `insert into daily_counts (day, publisher_id, campaign_id, line_item_id, creative_id, serves, impressions)
     select date '2026-06-01' + d, ?, ?, ?, n, 1, 1 from generate_series(0, 2) d, generate_series(1, 1500) n`,
    [publisher_id, booked.campaignId, booked.lineItemId],
  );
  const question = { campaignIds: [booked.campaignId], ...ALL };
  const totals = await readReportTotals(knex, 'creative', question);
  expect(totals).toMatchObject({ rows: 4500, impressions: 4500, serves: 4500, spendMicros: 1_000_000 });
  const seen: string[] = [];
  const lengths: number[] = [];
  for await (const rows of readWholeReport(question, { rows: 4500 }, (days, page) => readReportRows(knex, 'creative', days, page))) {
    lengths.push(rows.length);
    seen.push(...rows.map(({ date, creativeId }) => `${date} ${creativeId}`));
  }
  expect(Math.max(...lengths)).toBe(500);
  expect([seen.length, new Set(seen).size]).toEqual([4500, 4500]);
  expect(seen.slice(1499, 1501)).toEqual(['2026-06-01 1500', '2026-06-02 1']);
});

test('the rows of campaigns have the sums of their line items and creatives: counts, events, filtered hits and fees', async () => {
  const [one, other] = [
    await deal(1_000_000, FROM, FROM + 2 * MS_PER_DAY),
    await deal(3_000_000, FROM + MS_PER_DAY, FROM + 2 * MS_PER_DAY),
  ];
  const foreign = await deal(5_000_000, FROM, FROM + MS_PER_DAY);
  await one.add('2026-06-01', 1, 2, { clicks: 1, spend_micros: 10 });
  await one.add('2026-06-01', 2, 3, { spend_micros: 20 });
  await foreign.add('2026-06-01', 7, 9);
  const ofDay = { day: '2026-06-01', line_item_id: one.lineItemId };
  await knex('event_counts').insert([
    { ...ofDay, creative_id: 1, event_type: 'like', count: 4 },
    { ...ofDay, creative_id: 2, event_type: 'like', count: 5 },
    { ...ofDay, line_item_id: other.lineItemId, creative_id: 3, event_type: 'share', count: 6 },
  ]);
  const { publisher_id } = await knex('campaigns').where({ id: one.campaignId }).first<{ publisher_id: number }>('publisher_id');
  const filtered = { ...ofDay, publisher_id, campaign_id: one.campaignId, reason: 'spider' };
  await knex('filtered_counts').insert([
    { ...filtered, creative_id: 1, kind: 'impression', count: 7 },
    { ...filtered, creative_id: 2, kind: 'impression', count: 8 },
  ]);

  const question = { campaignIds: [one.campaignId, other.campaignId], ...ALL };
  const rows = await readReportRows(knex, 'campaign', question, { limit: 10, offset: 0 });
  const none = { serves: 0, impressions: 0, clicks: 0, events: {}, filtered: {} };
  expect(rows).toEqual([
    {
      ...{ date: '2026-06-01', campaignId: one.campaignId, campaign: expect.any(String), serves: 5, impressions: 5, clicks: 1 },
      ...{ spendMicros: 500_030, events: { like: 9 }, filtered: { impression_spider: 15 } },
    },
    { ...none, date: '2026-06-01', campaignId: other.campaignId, campaign: expect.any(String), spendMicros: 0, events: { share: 6 } },
    { ...none, date: '2026-06-02', campaignId: one.campaignId, campaign: expect.any(String), spendMicros: 500_000 },
    { ...none, date: '2026-06-02', campaignId: other.campaignId, campaign: expect.any(String), spendMicros: 3_000_000 },
  ]);
  const totals = {
    ...{ rows: 4, serves: 5, impressions: 5, clicks: 1, spendMicros: 4_000_030, feeMicros: 4_000_000 },
    ...{ events: { like: 9, share: 6 }, filtered: { impression_spider: 15 } },
  };
  expect(await readReportTotals(knex, 'campaign', question)).toEqual(totals);
  // The same counts by line item and creative: only the number of rows differs.
  expect(await readReportTotals(knex, 'creative', question)).toEqual({ ...totals, rows: 5 });
  expect(await readReportRows(knex, 'campaign', question, { limit: 2, offset: 1 })).toEqual(rows.slice(1, 3));
  expect(await readReportTotals(knex, 'campaign', { campaignIds: [], ...ALL })).toMatchObject({ rows: 0, spendMicros: 0, events: {} });
});
