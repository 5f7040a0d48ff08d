import knexFactory, { type Knex } from 'knex';
import { browse, lookAtAd } from '../../testkit/person.ts';
import { eventually } from '../../testkit/until.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { apiOf, book, serveAd, type ApiCall, type Booked, type Json } from '../api/api-client.ts';

let replica: Replica;
let api: ApiCall;
let knex: Knex;

beforeAll(async () => {
  const databaseUrl = await testDatabase();
  replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl() } });
  api = apiOf(replica.url);
  knex = knexFactory({ client: 'pg', connection: databaseUrl });
});
afterAll(() => knex.destroy());

const PER_CLICK = { budget_type: 'CPC', cpm: null, cpc: 1 };
const ADS = 7;

/** Serves seven ads, lets `happen`, then clicks all of them. @returns what the clicks were billed, in USD */
const billedAfter = async (booked: Booked, happen: () => Promise<unknown>): Promise<number> => {
  const bids: Json[] = [];
  for (let i = 0; i < ADS; i++) bids.push(await serveAd(replica.url, booked, `u${i}`));
  await happen();
  for (const { impurl } of bids) expect((await browse(replica.url + impurl)).status).toBe(200);
  await lookAtAd();
  for (const { clkurl } of bids) expect((await browse(replica.url + clkurl)).status).toBe(200);
  const clicks = knex('events').where({ line_item_id: booked.lineItem, kind: 'click' });
  await eventually(async () => expect(await clicks.clone().count('* as count')).toEqual([{ count: String(ADS) }]));
  const billed = await clicks.clone().sum<{ sum: string }[]>('billed_micros');
  return Number(billed[0]!.sum) / 1e6;
};

const reload = () => fetch(`${replica.url}/reload`, { method: 'POST' });

test.each<[string, (booked: Booked) => Promise<unknown>]>([
  ['is deleted', ({ lineItem }) => api('DELETE', `/line_items/${lineItem}`)],
  ['is deleted with its publisher', ({ publisher }) => api('DELETE', `/publishers/${publisher.id}`)],
  ['is set aside', ({ lineItem }) => knex('line_items').where({ id: lineItem }).update({ cpc_micros: -1 }).then(reload)],
  ['becomes Flat', ({ lineItem }) => api('PATCH', `/line_items/${lineItem}`, { budget_type: 'Flat', cpm: 1, budget: null })],
  ['becomes CPM', ({ lineItem }) => api('PATCH', `/line_items/${lineItem}`, { budget_type: 'CPM', cpm: 1, budget: null })],
])('a click bills within the budget of its selection when its line item %s', async (name, happen) => {
  const booked = await book(api, `budget: ${name}`, { ...PER_CLICK, budget: 2.5 });
  expect(await billedAfter(booked, () => happen(booked))).toBe(2.5);
});

test('a click bills within the daily cap and the campaign’s budget of its selection when these are deleted', async () => {
  const daily = await book(api, 'daily', { ...PER_CLICK, daily_spend_cap: 3 });
  expect(await billedAfter(daily, () => api('DELETE', `/line_items/${daily.lineItem}`))).toBe(3);
  const shared = await book(api, 'shared', PER_CLICK);
  await api('PATCH', `/campaigns/${shared.campaign}`, { budget: 1.25 });
  expect(await billedAfter(shared, () => api('DELETE', `/campaigns/${shared.campaign}`))).toBe(1.25);
});

test('while the line item bills clicks, its current budget bounds them', async () => {
  const booked = await book(api, 'raised', { ...PER_CLICK, budget: 2 });
  expect(await billedAfter(booked, () => api('PATCH', `/line_items/${booked.lineItem}`, { budget: 5 }))).toBe(5);
});
