import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { apiOf, askForAd, book, each, serveAd, type ApiCall, type Booked } from '../api/api-client.ts';

let replica: Replica;
let api: ApiCall;

beforeAll(async () => {
  replica = await startReplica({ env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() } });
  api = apiOf(replica.url);
});

const patch = async ({ creative }: Booked, change: object) => (await api('PATCH', `/creatives/${creative}`, change)).body;

test.each([
  ['draft', 'is a draft'],
  ['pending', 'waits for approval'],
  ['rejected', 'is rejected'],
])('a creative that is %s does not serve, and the status of its line item says why', async (status, words) => {
  const booked = await book(api, `status ${status}`);
  await patch(booked, { status });
  expect((await askForAd(replica.url, booked)).body).toMatchObject({ seatbid: [], nbr: 502 });
  expect((await api('GET', `/line_items/${booked.lineItem}/delivery`)).body.status).toEqual({
    value: 'cannot serve',
    reasons: [`creative ${booked.creative}: the creative ${words}`],
    off_pace: 0,
    behind: null,
    held_until: null,
    stuck_creatives: [{ id: booked.creative, reason: `the creative ${words}` }],
  });
  await patch(booked, { status: 'approved' });
  expect(await serveAd(replica.url, booked)).toBeDefined();
});

test('where approval is required, what is new or shows something else waits, and approving is a write of its own', async () => {
  const booked = await book(api, 'approval');
  await api('PATCH', `/publishers/${booked.publisher.id}`, { creative_approval: 'required' });
  expect(await serveAd(replica.url, booked)).toBeDefined();

  expect(await patch(booked, { name: 'Renamed', weight: 3 })).toMatchObject({ status: 'approved', name: 'Renamed' });
  expect(await patch(booked, { content: '<b>new</b>', status: 'approved' })).toMatchObject({ status: 'pending' });
  expect(await serveAd(replica.url, booked)).toBeUndefined();
  expect(await patch(booked, { status: 'approved' })).toMatchObject({ status: 'approved' });
  expect((await serveAd(replica.url, booked)).adm).toBe('<b>new</b>');

  const made = await api('POST', '/creatives', { placement_id: 'approval', line_item_id: booked.lineItem, format: 'html', content: '2' });
  expect([made.status, made.body.status]).toEqual([201, 'pending']);
  const drafted = { placement_id: 'approval', line_item_id: booked.lineItem, format: 'html', content: '3', status: 'draft' };
  expect((await api('POST', '/creatives', drafted)).body.status).toBe('draft');
  const [last] = (await api('GET', `/audit?entity=creative&entity_id=${booked.creative}`)).body;
  expect(last).toMatchObject({ before: { status: 'pending' }, after: { status: 'approved' } });
});

test('where approval is automatic, a creative serves when it is created', async () => {
  const booked = await book(api, 'automatic');
  expect(await patch(booked, { content: '<b>new</b>' })).toMatchObject({ status: 'approved', name: '', weight: 1 });
  expect((await serveAd(replica.url, booked)).adm).toBe('<b>new</b>');
});

test('every fault of a creative is listed at its pointer', async () => {
  const booked = await book(api, 'library faults');
  const { errors } = await patch(booked, { name: 'x'.repeat(257), status: 'live', weight: 0 });
  expect([...each(errors, 'pointer')].sort()).toEqual(['/name', '/status', '/weight']);
  expect((await api('PATCH', `/publishers/${booked.publisher.id}`, { creative_approval: 'maybe' })).status).toBe(400);
});
