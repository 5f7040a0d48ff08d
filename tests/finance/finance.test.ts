import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import knexFactory, { type Knex } from 'knex';
import { createCountedStore } from '../events/counted-store.ts';
import { createFinance } from '../../src/finance/finance.ts';
import { eventOf } from '../events/events.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startReplica } from '../setup/start-replica.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { apiOf, book, each, itemsOf, type ApiCall, type Booked, type Json } from '../api/api-client.ts';

let url: string;
let api: ApiCall;
let knex: Knex;

beforeAll(async () => {
  const databaseUrl = await testDatabase();
  const rates = path.join(temporaryFolder(), 'rates.json');
  writeFileSync(rates, JSON.stringify({ conversions: { USD: { EUR: 0.9 } } }));
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), CURRENCY_RATES: rates };
  ({ url } = await startReplica({ env }));
  api = apiOf(url);
  knex = knexFactory({ client: 'pg', connection: databaseUrl });
});
afterAll(() => knex.destroy());

const hit = ({ publisher, campaign, lineItem, creative, placement }: Booked, at: string, billedMicros: number) =>
  createCountedStore({ knex }).append([
    {
      ...eventOf(
        { publisherId: publisher.id, campaignId: campaign, lineItemId: lineItem, creativeId: creative, placementId: placement },
        {},
        Date.parse(at),
      ),
      billedMicros,
    },
  ]);
const statement = async ({ publisher }: Booked, month: string): Promise<Json> => {
  const { status, body } = await api('GET', `/finance?publisher_id=${publisher.id}&month=${month}`);
  expect([status, body.errors]).toEqual([200, undefined]);
  return body;
};
const close = ({ publisher }: Booked, month: string) => api('POST', '/finance/close', { publisher_id: publisher.id, month });

test('a closed month stays as it is; what comes later is a correction of the next one, and all months sum to the ledger, to the micro', async () => {
  const booked = await book(api, 'closed');
  const advertiser = (await api('POST', '/advertisers', { name: 'Boots' })).body.id;
  await api('PATCH', `/campaigns/${booked.campaign}`, { advertiser_id: advertiser });
  await api('PATCH', `/publishers/${booked.publisher.id}`, { time_zone: 'Europe/Berlin' });
  // 21:30 UTC on 31 March is March in Berlin, 22:30 is April.
  await hit(booked, '2026-03-31T21:30:00Z', 1_000_001);
  await hit(booked, '2026-03-31T22:30:00Z', 333_333);
  const open = await statement(booked, '2026-03');
  expect(open).toMatchObject({
    ...{ month: '2026-03', time_zone: 'Europe/Berlin', currency: 'USD', closed_at: null },
    totals: { impressions: 1, clicks: 0, corrections: 0, revenue: 1.000001, amount: 1.000001 },
    advertisers: [{ advertiser_id: advertiser, advertiser: 'Boots', revenue: 1.000001 }],
  });
  const closed = await close(booked, '2026-03');
  expect([closed.status, closed.body.closed_by]).toEqual([201, 'anonymous']);
  await hit(booked, '2026-03-30T12:00:00Z', 7);
  expect((await statement(booked, '2026-03')).totals.revenue).toBe(1.000001);
  expect((await close(booked, '2026-03')).status).toBe(409);

  const april = await statement(booked, '2026-04');
  expect(itemsOf(april.lines).map(({ of_month, revenue }) => [of_month, revenue])).toEqual([
    ['2026-04', 0.333333],
    ['2026-03', 0.000007],
  ]);
  expect(april.totals).toEqual({
    impressions: 2,
    clicks: 0,
    corrections: 0.000007,
    revenue: 0.33334,
    fee_to_come: 0,
    amount: 0.33334,
    other_amounts: [],
  });
  // Two people at once: one of them closes it, and the correction is booked once.
  const both = await Promise.all([close(booked, '2026-04'), close(booked, '2026-04')]);
  expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  expect(await statement(booked, '2026-05')).toMatchObject({ lines: [], closed_months: ['2026-04', '2026-03'] });
  const [ledger] = await knex('daily_counts').where({ publisher_id: booked.publisher.id }).sum({ micros: 'spend_micros' });
  const [lines] = await knex('finance_lines').where({ publisher_id: booked.publisher.id }).sum({ micros: 'revenue_micros' });
  expect([lines?.['micros'], ledger?.['micros']]).toEqual(['1333341', '1333341']);
});

test('the months that are over, have figures or a fee, and are not closed are listed, the earliest first', async () => {
  const booked = await book(api, 'to close', {
    budget_type: 'Flat',
    budget: 60,
    cpm: undefined,
    start_date: '2026-02-10',
    end_date: '2026-03-10',
  });
  await hit(booked, '2026-01-31T12:00:00Z', 1_000_000);
  await hit(booked, new Date().toISOString(), 1_000_000);
  const open = async () =>
    itemsOf((await api('GET', '/finance/open')).body).flatMap(({ publisher_id, month }) =>
      publisher_id === booked.publisher.id ? [month] : [],
    );
  expect(await open()).toEqual(['2026-01', '2026-02', '2026-03']);
  await close(booked, '2026-02');
  expect(await open()).toEqual(['2026-01', '2026-03']);
});

test('a fee is earned by the publisher’s days; a fee that changes later is a correction', async () => {
  const flat = { budget_type: 'Flat', budget: 31, cpm: undefined, start_date: '2026-01-01', end_date: '2026-01-31' };
  const booked = await book(api, 'fees', flat);
  await close(booked, '2026-01');
  expect((await statement(booked, '2026-01')).totals.revenue).toBe(31);
  await api('PATCH', `/line_items/${booked.lineItem}`, { budget: 25 });
  expect((await statement(booked, '2026-02')).totals).toMatchObject({ corrections: -6, revenue: -6 });
  const csv = (await api('GET', `/finance?publisher_id=${booked.publisher.id}&month=2026-02&format=csv`)).body;
  expect(csv).toBe(
    'month,of_month,through,publisher_id,publisher,advertiser_id,advertiser,campaign_id,campaign,impressions,clicks,revenue,fee_to_come,amount,currency,revenue_currency\r\n' +
      `2026-02,2026-01,2026-02-28,${booked.publisher.id},The Gazette,,,${booked.campaign},Autumn,0,0,-6,0,-6,USD,USD\r\n`,
  );
});

test('a statement is in the currency that its publisher chose for it, at the rate of the day on which the month was closed', async () => {
  const booked = await book(api, 'currency');
  await api('PATCH', `/publishers/${booked.publisher.id}`, { statement_currency: 'EUR' });
  await hit(booked, '2026-03-10T12:00:00Z', 1_000_001);
  expect((await close(booked, '2026-03')).body).toMatchObject({
    currency: 'EUR',
    rate: 0.9,
    totals: { revenue: 1.000001, amount: 0.900001 },
  });
  await api('PATCH', `/publishers/${booked.publisher.id}`, { statement_currency: 'CHF' });
  expect(await statement(booked, '2026-03')).toMatchObject({ currency: 'EUR', lines: [{ amount: 0.900001, currency: 'EUR' }] });
  await hit(booked, '2026-04-10T12:00:00Z', 1_000_000);
  expect(await statement(booked, '2026-04')).toMatchObject({ currency: 'CHF', rate: null, totals: { revenue: 1, amount: null } });
  const refused = await close(booked, '2026-04');
  expect([refused.status, refused.body.detail]).toEqual([
    409,
    'CURRENCY_RATES has no rate between the currency of the publisher and that of its statements.',
  ]);
  expect((await api('PATCH', `/publishers/${booked.publisher.id}`, { statement_currency: 'EURO' })).status).toBe(400);
});

test('money of a publisher is in its currency, which needs no rate and is fixed once a campaign is booked', async () => {
  const booked = await book(api, 'francs', {}, { currency: 'CHF' });
  await hit(booked, '2026-03-10T12:00:00Z', 1_500_000);
  expect((await close(booked, '2026-03')).body).toMatchObject({
    ...{ revenue_currency: 'CHF', currency: 'CHF', rate: 1 },
    totals: { revenue: 1.5, amount: 1.5, other_amounts: [] },
  });
  const refused = await api('PATCH', `/publishers/${booked.publisher.id}`, { currency: 'EUR' });
  expect([refused.status, refused.body.errors]).toEqual([
    400,
    [
      {
        pointer: '/currency',
        detail:
          'cannot change: its campaigns are booked in CHF. Add another publisher for EUR, or set statement_currency to have statements in it too',
      },
    ],
  ]);
});

test('a correction is for the advertiser whom the month was booked for', async () => {
  const booked = await book(api, 'moved');
  const [first, second] = [
    (await api('POST', '/advertisers', { name: 'A' })).body.id,
    (await api('POST', '/advertisers', { name: 'B' })).body.id,
  ];
  await api('PATCH', `/campaigns/${booked.campaign}`, { advertiser_id: first });
  await hit(booked, '2026-03-10T12:00:00Z', 5);
  await close(booked, '2026-03');
  await api('PATCH', `/campaigns/${booked.campaign}`, { advertiser_id: second });
  await hit(booked, '2026-03-11T12:00:00Z', 2);
  await hit(booked, '2026-04-11T12:00:00Z', 1);
  const { advertisers } = await statement(booked, '2026-04');
  expect(itemsOf(advertisers).map(({ advertiser_id, revenue }) => [advertiser_id, revenue])).toEqual([
    [second, 0.000001],
    [first, 0.000002],
  ]);
});

test('a month that is not over, is no month or has no publisher is refused', async () => {
  const booked = await book(api, 'refused');
  expect((await close(booked, '2999-01')).body.detail).toBe('The month is not over in the time zone of the publisher.');
  expect((await close(booked, '2026-13')).body.errors).toEqual([{ pointer: '/month', detail: 'must be a month such as 2026-10' }]);
  expect(each((await api('GET', '/finance?publisher_id=x&month=2026-01&format=pdf')).body.errors, 'pointer')).toEqual([
    '/publisher_id',
    '/format',
  ]);
  expect((await api('GET', '/finance?publisher_id=2000000000&month=2026-01')).status).toBe(404);
  expect((await api('POST', '/finance/close', { publisher_id: 2_000_000_000, month: '2026-01' })).status).toBe(404);
  expect(each((await api('POST', '/finance/close', { publisher_id: 2 ** 40, month: '2026-01', day: 1 })).body.errors, 'pointer')).toEqual([
    '/day',
    '/publisher_id',
  ]);
});

describe('a closed month is a document', () => {
  const lineNames = (of: Json) => itemsOf(of.lines).map(({ publisher, advertiser, campaign }) => [publisher, advertiser, campaign]);
  const csvOf = async ({ publisher }: Booked, month: string): Promise<string> =>
    (await api('GET', `/finance?publisher_id=${publisher.id}&month=${month}&format=csv`)).body;
  /** The sheet and its texts, as XML. */
  const excelOf = async ({ publisher }: Booked, month: string): Promise<readonly string[]> => {
    const file = await fetch(`${url}/api/finance?publisher_id=${publisher.id}&month=${month}&format=xlsx`);
    const parts = unzipSync(new Uint8Array(await file.arrayBuffer()));
    return ['xl/worksheets/sheet1.xml', 'xl/sharedStrings.xml'].map((name) => strFromU8(parts[name] ?? new Uint8Array()));
  };

  test('its names stay in the statement, CSV and Excel, whatever is renamed or deleted later, and its corrections carry them', async () => {
    const booked = await book(api, 'names');
    const advertiser = (await api('POST', '/advertisers', { name: 'Boots' })).body.id;
    await api('PATCH', `/campaigns/${booked.campaign}`, { advertiser_id: advertiser });
    await hit(booked, '2026-03-10T12:00:00Z', 5);
    await close(booked, '2026-03');
    const [before, csv, excel] = [await statement(booked, '2026-03'), await csvOf(booked, '2026-03'), await excelOf(booked, '2026-03')];
    expect(lineNames(before)).toEqual([['The Gazette', 'Boots', 'Autumn']]);
    for (const name of ['The Gazette', 'Boots', 'Autumn'])
      expect([csv, excel[1]]).toEqual([expect.stringContaining(name), expect.stringContaining(name)]);

    await api('PATCH', `/campaigns/${booked.campaign}`, { name: 'Winter' });
    await api('PATCH', `/advertisers/${advertiser}`, { name: 'Hats' });
    await api('PATCH', `/publishers/${booked.publisher.id}`, { name: 'The Herald' });
    const unchanged = async () => {
      expect(await statement(booked, '2026-03')).toEqual(before);
      expect(await csvOf(booked, '2026-03')).toBe(csv);
      expect(await excelOf(booked, '2026-03')).toEqual(excel);
    };
    await unchanged();
    await hit(booked, '2026-03-11T12:00:00Z', 2);
    expect((await api('DELETE', `/advertisers/${advertiser}`)).status).toBe(204);
    expect((await api('GET', `/campaigns/${booked.campaign}`)).status).toBe(404);
    await unchanged();
    expect(lineNames(await statement(booked, '2026-04'))).toEqual([['The Herald', 'Boots', 'Autumn']]);
    expect((await api('DELETE', `/publishers/${booked.publisher.id}`)).status).toBe(204);
    await unchanged();
  });

  test('a change of the zone dates no fee anew: the next month begins where the closed one ended, and a fee is booked once, to the micro', async () => {
    const flat = { budget_type: 'Flat', budget: 90, cpm: undefined, start_date: '2026-01-01', end_date: '2026-03-31' };
    const booked = await book(api, 'zones', flat);
    const zone = (time_zone: string) => api('PATCH', `/publishers/${booked.publisher.id}`, { time_zone });
    await zone('Europe/Berlin');
    await close(booked, '2026-01');
    await close(booked, '2026-03');
    await zone('America/New_York');
    const february = await statement(booked, '2026-02');
    // Between the midnights of Berlin: 28 of 90 days.
    expect(february).toMatchObject({ time_zone: 'America/New_York', totals: { corrections: 0, revenue: 28 } });
    await close(booked, '2026-02');
    expect(await statement(booked, '2026-01')).toMatchObject({ time_zone: 'Europe/Berlin' });
    // 1 April began in Berlin while two hours of the flight were left.
    expect(await statement(booked, '2026-04')).toMatchObject({ totals: { corrections: 0, revenue: 0.083334 } });
    await close(booked, '2026-04');
    const [lines] = await knex('finance_lines').where({ publisher_id: booked.publisher.id }).sum({ micros: 'revenue_micros' });
    expect(lines?.['micros']).toBe('90000000');
    // A fee that is edited is still corrected, by the days that were closed.
    await api('PATCH', `/line_items/${booked.lineItem}`, { budget: 180 });
    const corrections = itemsOf((await statement(booked, '2026-05')).lines).map(({ of_month, revenue }) => [of_month, revenue]);
    expect(corrections).toContainEqual(['2026-02', 28]);
  });

  test('its corrections are in its currency at its rate, whatever the currency and the rate are now', async () => {
    const booked = await book(api, 'currencies');
    await hit(booked, '2026-02-10T12:00:00Z', 1_000_000);
    await close(booked, '2026-02');
    await api('PATCH', `/publishers/${booked.publisher.id}`, { statement_currency: 'EUR' });
    await hit(booked, '2026-03-10T12:00:00Z', 1_000_000);
    await close(booked, '2026-03');
    await hit(booked, '2026-02-11T12:00:00Z', 7);
    await hit(booked, '2026-03-11T12:00:00Z', 1);
    await hit(booked, '2026-04-11T12:00:00Z', 10);
    const [usd, closedAtNineTenths] = [
      { of_month: '2026-02', revenue: 0.000007, amount: 0.000007, currency: 'USD' },
      { of_month: '2026-03', revenue: 0.000001, amount: 0.000001, currency: 'EUR' },
    ];
    expect(await statement(booked, '2026-04')).toMatchObject({
      lines: [{ of_month: '2026-04', revenue: 0.00001, amount: 0.000009, currency: 'EUR' }, closedAtNineTenths, usd],
      totals: { corrections: 0.000008, revenue: 0.000018, amount: 0.00001, other_amounts: [{ currency: 'USD', amount: 0.000007 }] },
      advertisers: [{ amount: 0.00001, other_amounts: [{ currency: 'USD', amount: 0.000007 }] }],
    });
    // The rate has halved since.
    const later = await createFinance({ knex, rateOf: (currency) => (currency === 'USD' ? 1 : 0.45) }).statement(
      booked.publisher.id,
      '2026-04',
    );
    expect(later?.lines.map(({ ofMonth, amountMicros, currency }) => [ofMonth, amountMicros, currency])).toEqual([
      ['2026-04', 5, 'EUR'],
      ['2026-03', 1, 'EUR'],
      ['2026-02', 7, 'USD'],
    ]);
    const stored = (await close(booked, '2026-04')).body;
    expect(stored.lines).toMatchObject([{ amount: 0.000009 }, closedAtNineTenths, usd]);
    await api('PATCH', `/publishers/${booked.publisher.id}`, { statement_currency: 'CHF' });
    await hit(booked, '2026-03-11T12:00:00Z', 9);
    // 0.900009 of which 0.900001 are booked already.
    expect((await statement(booked, '2026-05')).totals).toMatchObject({
      ...{ revenue: 0.000009, amount: 0, other_amounts: [{ currency: 'EUR', amount: 0.000008 }] },
    });
  });
});

test('the revenue of an open month is that of the report to date, to the micro; the fee of days to come is beside it', async () => {
  const now = new Date();
  // Where the day does not end within the test.
  const zone = now.getUTCHours() > 1 && now.getUTCHours() < 22 ? 'UTC' : 'Asia/Tokyo';
  const today = new Date(now.getTime() + (zone === 'UTC' ? 0 : 9 * 3_600_000));
  const dayIn = (month: number, day: number): string =>
    new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + month, day)).toISOString().slice(0, 10);
  const flat = { budget_type: 'Flat', budget: 1_000, cpm: undefined, start_date: dayIn(0, 1), end_date: dayIn(2, 7) };
  const booked = await book(api, 'to come', flat);
  await api('PATCH', `/publishers/${booked.publisher.id}`, { time_zone: zone });
  await hit(booked, now.toISOString(), 1_234_567);
  const reported = async (days: string): Promise<number> =>
    (await api('GET', `/reports?group_by=campaign&metrics=revenue&filter[publisher]=${booked.publisher.id}&${days}`)).body.totals.revenue;
  const micros = (usd: number): number => Math.round(usd * 1e6);
  const local = today.toISOString().slice(0, 10);

  const open = await statement(booked, local.slice(0, 7));
  expect(open.through).toBe(local);
  expect(open.totals.revenue).toBe(await reported('range=this_month'));
  expect(micros(open.totals.revenue) + micros(open.totals.fee_to_come)).toBe(
    micros(await reported(`from=${dayIn(0, 1)}&to=${dayIn(1, 0)}`)),
  );
  expect(open.lines).toMatchObject([{ through: local, revenue: open.totals.revenue, fee_to_come: open.totals.fee_to_come }]);

  const next = dayIn(1, 1);
  const coming = await statement(booked, next.slice(0, 7));
  expect([coming.through, coming.totals.revenue]).toEqual([null, 0]);
  expect(coming.totals.fee_to_come).toBe(await reported(`from=${next}&to=${dayIn(2, 0)}`));
  expect(coming.totals.fee_to_come).toBeGreaterThan(400);
  const csv = (await api('GET', `/finance?publisher_id=${booked.publisher.id}&month=${next.slice(0, 7)}&format=csv`)).body;
  expect(String(csv)).toContain(`,0,${coming.totals.fee_to_come},0,USD,USD`);
});
