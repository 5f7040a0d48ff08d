import { eventually } from '../../testkit/until.ts';
import { apiOf, book, serveAd, type ApiCall, type Json } from '../api/api-client.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1';
const IN_THE_US = '2.0.0.1';

let replica: Replica;
let api: ApiCall;

beforeAll(async () => {
  replica = await startReplica({ env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() } });
  api = apiOf(replica.url);
});

const rowsOf = async (query: string): Promise<Json> => {
  const { status, body } = await api('GET', `/reports?range=last_7_days&${query}`);
  expect([status, body.errors]).toEqual([200, undefined]);
  return body.rows;
};

test('requests are counted by country, device and browser; serves by placement, size, country, device and browser', async () => {
  const booked = await book(api, 'counted');
  await api('POST', '/placements', { id: 'empty', publisher_id: booked.publisher.id, width: 300, height: 600, formats: ['html'] });
  const ask = (tagid: string, regs: object = {}) =>
    fetch(`${replica.url}/ad`, {
      method: 'POST',
      headers: { 'X-API-Key': booked.publisher.api_key, 'User-Agent': PHONE },
      body: JSON.stringify({
        ...{ id: 'r', imp: [{ id: '1', tagid }], user: { id: 'u' }, device: { ip: IN_THE_US }, regs },
        ext: { publisher_id: booked.publisher.id },
      }),
    });
  expect(await serveAd(replica.url, booked)).toBeDefined();
  await api('PATCH', `/publishers/${booked.publisher.id}`, { consent_when_silent: 'allow' });
  await ask('counted');
  await ask('empty');
  const of = `filter[publisher]=${booked.publisher.id}`;
  await eventually(async () => {
    expect(await rowsOf(`group_by=country&metrics=requests,unfilled,fill_rate&${of}`)).toEqual([
      { country: null, requests: 1, unfilled: 0, fill_rate: 1 },
      { country: 'US', requests: 2, unfilled: 1, fill_rate: 0.5 },
    ]);
    expect(await rowsOf(`group_by=device,browser&metrics=requests,unfilled,serves&${of}`)).toEqual([
      { device: null, browser: null, requests: 1, unfilled: 0, serves: 1 },
      { device: 'mobile', browser: 'Safari', requests: 2, unfilled: 1, serves: 1 },
    ]);
    expect(await rowsOf(`group_by=reason&metrics=requests&${of}&filter[country]=US`)).toEqual([
      { reason: null, requests: 1 },
      { reason: 'nothing_booked', requests: 1 },
    ]);
    expect(await rowsOf(`group_by=placement,size&metrics=requests,serves&${of}`)).toEqual([
      { placement_id: 'counted', size: '300x250', requests: 2, serves: 2 },
      { placement_id: 'empty', size: '300x600', requests: 1, serves: 0 },
    ]);
    expect(await rowsOf(`group_by=country,campaign&metrics=serves&${of}`)).toEqual([
      { country: null, campaign_id: booked.campaign, campaign: 'Autumn', serves: 1 },
      { country: 'US', campaign_id: booked.campaign, campaign: 'Autumn', serves: 1 },
    ]);
    // Those of the ledger, counted once.
    expect(await rowsOf(`group_by=line_item&metrics=serves&${of}`)).toMatchObject([{ line_item_id: booked.lineItem, serves: 2 }]);
  });
});

test.each([
  ['group_by=advertiser&metrics=requests', 'a request is counted before anything is chosen for it: see serves'],
  ['group_by=line_item&metrics=fill_rate', 'a request is counted before anything is chosen for it: see serves'],
  ['group_by=reason&metrics=serves', 'an ad that was selected has none: see unfilled'],
  ['group_by=country&metrics=bids', 'bids are counted by placement, not by visitor'],
  ['group_by=bidder&metrics=impressions', 'what is delivered is counted by line item'],
])('%s has no meaning, and the problem says why', async (query, why) => {
  const { status, body } = await api('GET', `/reports?${query}`);
  expect([status, body.errors[0].pointer, body.errors[0].detail]).toEqual([400, '/metrics/0', expect.stringContaining(why)]);
});
