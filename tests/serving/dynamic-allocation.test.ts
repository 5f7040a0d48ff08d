import { apiOf, book, each, type ApiCall, type Booked, type Json } from '../api/api-client.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { browse } from '../../testkit/person.ts';
import { eventually } from '../../testkit/until.ts';

let replica: Replica;
let api: ApiCall;
let booked: Booked;

/** Of a goal of 100,000 ten impressions are a short lead; at 0.01 USD a bid of 1.75 is above the price of it. */
const ITEM = { priority: 1, goal_impressions: 100_000, cpm: 0.01 };
const DAY_MS = 86_400_000;
const now = Date.now();
const FLIGHT = { start_date: new Date(now - 1_000).toISOString(), end_date: new Date(now + 400 * DAY_MS).toISOString() };

beforeAll(async () => {
  replica = await startReplica({ env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), ADMIN_TOKEN: '' } });
  api = apiOf(replica.url);
  booked = await book(api, 'home-top', { ...ITEM, ...FLIGHT });
  const bidder = { campaign_id: booked.campaign, name: 'Exchange', active: true, type: 'programmatic', class: 'price', ...FLIGHT };
  const { body } = await api('POST', '/line_items', { ...bidder, endpoint: `${replica.url}/test/bid` });
  const creative = { placement_id: 'home-top', line_item_id: body.id, format: 'html', content: '<i>bid</i>' };
  expect((await api('POST', '/creatives', creative)).status).toBe(201);
});

const ask = async (): Promise<{ readonly bid: Json; readonly ranking: readonly Json[] }> => {
  const answer = await fetch(`${replica.url}/ad?debug=1`, {
    method: 'POST',
    headers: { 'X-API-Key': booked.publisher.api_key },
    body: JSON.stringify({ id: 'r', imp: [{ id: '1', tagid: 'home-top' }], user: { id: 'u' }, ext: { publisher_id: booked.publisher.id } }),
  });
  const { seatbid, debug } = await answer.json();
  return { bid: seatbid[0]?.bid[0], ranking: debug.trace.imps[0].ranking };
};
const isBid = (bid: Json): boolean => bid?.price === 1.75;
const standardIn = (ranking: readonly Json[]): Json => ranking.find((one) => one.line_item_id === booked.lineItem);

test('a bid wins over a standard line item only with dynamic allocation, and only while it is ahead of its goal', async () => {
  // As soon as possible, it is ten impressions ahead.
  for (let shown = 0; shown < 10; shown++) {
    const { bid } = await ask();
    expect(isBid(bid)).toBe(false);
    expect((await browse(new URL(bid.impurl as string, replica.url).href)).status).toBe(200);
  }
  const sold = await api('PATCH', `/line_items/${booked.lineItem}`, { class: 'standard', pacing: 'Even' });
  expect([sold.status, sold.body.class]).toEqual([200, 'standard']);
  await eventually(async () => {
    const { bid, ranking } = await ask();
    expect([isBid(bid), standardIn(ranking)]).toEqual([false, expect.objectContaining({ class: 'standard', priority: 1 })]);
    expect(standardIn(ranking)).not.toHaveProperty('opportunity_cost');
  });

  expect((await api('PATCH', `/publishers/${booked.publisher.id}`, { dynamic_allocation: true })).status).toBe(200);
  await eventually(async () => {
    const { bid, ranking } = await ask();
    expect(isBid(bid)).toBe(true);
    expect(standardIn(ranking).opportunity_cost).toBeGreaterThan(0);
    expect(standardIn(ranking).opportunity_cost).toBeLessThan(1.75);
    expect(each(ranking, 'line_item_id').at(-1)).toBe(booked.lineItem);
  });

  // Its flight began long ago: it is behind.
  await api('PATCH', `/line_items/${booked.lineItem}`, { start_date: new Date(now - 200 * DAY_MS).toISOString() });
  await eventually(async () => {
    // Its pacing may leave the request to the bidder.
    const { ranking } = await ask();
    expect(ranking[0]).toMatchObject({ line_item_id: booked.lineItem, opportunity_cost: null });
  });
});
