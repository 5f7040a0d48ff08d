import { writeFileSync } from 'node:fs';
import path from 'node:path';
import knexFactory, { type Knex } from 'knex';
import { createEventStore } from '../../src/events/postgres/event-store.ts';
import { eventOf } from '../events/events.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startReplica } from '../setup/start-replica.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { apiOf, book, each, itemsOf, type ApiCall, type Booked, type Json } from '../api/api-client.ts';

let api: ApiCall;
let knex: Knex;

beforeAll(async () => {
  const databaseUrl = await testDatabase();
  const rates = path.join(temporaryFolder(), 'rates.json');
  writeFileSync(rates, JSON.stringify({ conversions: { USD: { EUR: 0.9 } } }));
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), CURRENCY_RATES: rates };
  api = apiOf((await startReplica({ env })).url);
  knex = knexFactory({ client: 'pg', connection: databaseUrl });
});
afterAll(() => knex.destroy());

const hit = ({ publisher, campaign, lineItem, creative, placement }: Booked, at: string, billedMicros: number) =>
  createEventStore({ knex }).append([
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
  expect(april.totals).toEqual({ impressions: 2, clicks: 0, corrections: 0.000007, revenue: 0.33334, amount: 0.33334 });
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
    'month,of_month,advertiser_id,advertiser,campaign_id,campaign,impressions,clicks,revenue,amount,currency\r\n' +
      `2026-02,2026-01,,,${booked.campaign},Autumn,0,0,-6,-6,USD\r\n`,
  );
});

test('a statement is in the currency of its publisher, at the rate of the day on which the month was closed', async () => {
  const booked = await book(api, 'currency');
  await api('PATCH', `/publishers/${booked.publisher.id}`, { currency: 'EUR' });
  await hit(booked, '2026-03-10T12:00:00Z', 1_000_001);
  expect((await close(booked, '2026-03')).body).toMatchObject({
    currency: 'EUR',
    rate: 0.9,
    totals: { revenue: 1.000001, amount: 0.900001 },
  });
  await api('PATCH', `/publishers/${booked.publisher.id}`, { currency: 'CHF' });
  expect(await statement(booked, '2026-03')).toMatchObject({ currency: 'EUR', lines: [{ amount: 0.900001, currency: 'EUR' }] });
  await hit(booked, '2026-04-10T12:00:00Z', 1_000_000);
  expect(await statement(booked, '2026-04')).toMatchObject({ currency: 'CHF', rate: null, totals: { revenue: 1, amount: null } });
  const refused = await close(booked, '2026-04');
  expect([refused.status, refused.body.detail]).toEqual([409, 'CURRENCY_RATES has no rate for the currency of the publisher.']);
  expect((await api('PATCH', `/publishers/${booked.publisher.id}`, { currency: 'EURO' })).status).toBe(400);
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
