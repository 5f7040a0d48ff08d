import { setTimeout as sleep } from 'node:timers/promises';
import knexFactory, { type Knex } from 'knex';

import { createCatalogStore } from '../../../src/catalog/postgres/catalog-store.ts';
import { BROWSER_HEADERS } from '../../../testkit/person.ts';
import { eventually } from '../../../testkit/until.ts';
import { apiOf, book, type ApiCall, type Booked } from '../../api/api-client.ts';
import { startReplica, type Replica } from '../../setup/start-replica.ts';
import { testDatabase } from '../../setup/test-database.ts';
import { testRedisUrl } from '../../setup/test-redis-url.ts';

let replica: Replica;
let api: ApiCall;
let knex: Knex;
let booked: Booked;

beforeAll(async () => {
  const databaseUrl = await testDatabase();
  replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl() } });
  api = apiOf(replica.url);
  knex = knexFactory({ client: 'pg', connection: databaseUrl });
  booked = await book(api, 'rotation', { budget_type: 'CPC', cpm: null, cpc: 0.5, rotation: 'optimised' });
});
afterAll(() => knex.destroy());

const HEADERS = { ...BROWSER_HEADERS, 'x-forwarded-for': '198.51.100.7' };

test('a client that clicks each ad 115 ms after it was shown is billed four clicks, and teaches the rotation one', async () => {
  const clicks = 24;
  for (let i = 0; i < clicks; i++) {
    const answer = await fetch(`${replica.url}/ad`, {
      method: 'POST',
      headers: { ...HEADERS, 'x-api-key': booked.publisher.api_key },
      body: JSON.stringify({
        ...{ id: 'r', imp: [{ id: '1', tagid: booked.placement }], user: { id: 'one user' }, ext: { publisher_id: booked.publisher.id } },
      }),
    });
    const [bid] = ((await answer.json()) as { seatbid: { bid: { impurl: string; clkurl: string }[] }[] }).seatbid[0]!.bid;
    expect((await fetch(replica.url + bid!.impurl, { headers: HEADERS })).status).toBe(200);
    await sleep(115);
    // Answered as ever: it does not learn what was counted.
    expect((await fetch(replica.url + bid!.clkurl, { headers: HEADERS, redirect: 'manual' })).status).toBe(200);
  }
  await eventually(async () => expect(await knex('events').where('kind', 'click').count('* as n')).toEqual([{ n: String(clicks) }]));
  expect(
    await knex('events')
      .where('kind', 'click')
      .groupBy('invalid_reason')
      .orderBy('invalid_reason')
      .select('invalid_reason')
      .count('* as n')
      .sum('billed_micros as micros'),
  ).toEqual([
    { invalid_reason: '', n: '4', micros: '2000000' },
    { invalid_reason: 'activity', n: '20', micros: '0' },
  ]);
  await eventually(async () => {
    const learned = await createCatalogStore({ knex }).readAll((reading) => Promise.resolve([...reading.creativeCounts.values()]));
    expect(learned).toEqual([{ impressions: clicks, clicks: 1 }]);
  });
  const { today } = (await api('GET', `/line_items/${booked.lineItem}/delivery`)).body;
  expect(today).toMatchObject({
    clicks: 4,
    filtered_clicks: 20,
    provisional_clicks: 0,
    gross_clicks: 24,
    filtered: { click_activity: 20 },
    spend: 2,
  });
});
