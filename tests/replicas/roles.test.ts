import { eventually } from '../../testkit/until.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { askForAd, book, type Booked } from '../api/api-client.ts';
import { callWith, MACHINE } from '../people/staff.ts';

let ads: Replica;
let tool: Replica;
let booked: Booked;

beforeAll(async () => {
  const stores = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() };
  const env = { ...stores, NODE_ENV: 'production', ADMIN_TOKEN: MACHINE };
  [ads, tool] = await Promise.all([startReplica({ env: { ...env, ROLE: 'ads' } }), startReplica({ env: { ...env, ROLE: 'tool' } })]);
  booked = await book(callWith(tool.url, MACHINE), 'roles-top');
});

test('what the tool books, a replica for ads serves', async () => {
  await eventually(async () => expect((await askForAd(ads.url, booked)).body.seatbid).toHaveLength(1));
});

test.each([
  ['POST', '/ad', true, false],
  ['GET', '/impression', true, false],
  ['GET', '/click', true, false],
  ['POST', '/openrtb2/auction', true, false],
  ['GET', '/tag/iframe', true, false],
  ['GET', '/vast', true, false],
  ['GET', '/sellers.json', true, false],
  ['GET', '/api/publishers', false, true],
  ['GET', '/auth/methods', false, true],
  ['GET', '/static/admin.html', false, true],
  ['GET', '/static/sign-in.html', false, true],
  ['GET', '/shared_report', false, true],
  ['GET', '/shared_proof', false, true],
  ['GET', '/static/sdk/adsdk.js', true, true],
  ['GET', '/ready', true, true],
  ['GET', '/metrics', true, true],
])('%s %s is there at a replica for ads: %s, at one for the tool: %s', async (method, path, ofAds, ofTool) => {
  const isThere = async ({ url }: Replica): Promise<boolean> => (await fetch(url + path, { method })).status !== 404;
  expect([await isThere(ads), await isThere(tool)]).toEqual([ofAds, ofTool]);
});
