import { browse } from '../../testkit/person.ts';
import { eventually } from '../../testkit/until.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { apiOf, book, each, serveAd, type ApiCall } from '../api/api-client.ts';

let replica: Replica;
let api: ApiCall;

beforeAll(async () => {
  replica = await startReplica({ env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() } });
  api = apiOf(replica.url);
});

const advertiser = async (fields: object = {}): Promise<number> => {
  const { status, body } = await api('POST', '/advertisers', { name: 'Boots of the North', ...fields });
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.id as number;
};

const NO_CATEGORY = 'must be an id of the IAB Content Taxonomy 3.x, such as 483 or JLBCU7';

test('every fault of an advertiser is listed at its pointer, in words', async () => {
  const { status, body } = await api('POST', '/advertisers', {
    name: '',
    domain: 'https://boots.example/',
    categories: ['483', 'IAB1-1', '99999', 'abc'],
    labels: ['a', 'a'],
    contact: '',
    colour: 'red',
  });
  expect(status).toBe(400);
  expect(
    Object.fromEntries((body.errors as { pointer: string; detail: string }[]).map(({ pointer, detail }) => [pointer, detail])),
  ).toEqual({
    '/name': expect.any(String),
    '/domain': 'must be a host name, such as boots.example',
    '/categories/1': NO_CATEGORY,
    '/categories/2': NO_CATEGORY,
    '/categories/3': NO_CATEGORY,
    '/labels': expect.any(String),
    '/contact': expect.any(String),
    '/colour': expect.any(String),
  });
  const booked = await book(api, 'unknown-advertiser');
  expect((await api('PATCH', `/campaigns/${booked.campaign}`, { advertiser_id: 999_999 })).body.errors).toEqual([
    { pointer: '/advertiser_id', detail: 'refers to advertisers 999999, which does not exist' },
  ]);
});

test('a creative without an advertiser domain has that of its advertiser, also after the domain changes', async () => {
  const booked = await book(api, 'domains');
  const id = await advertiser({ domain: 'boots.example' });
  expect(await serveAd(replica.url, booked)).not.toHaveProperty('adomain');

  await api('PATCH', `/campaigns/${booked.campaign}`, { advertiser_id: id });
  expect((await serveAd(replica.url, booked)).adomain).toEqual(['boots.example']);
  await api('PATCH', `/advertisers/${id}`, { domain: 'shoes.example' });
  expect((await serveAd(replica.url, booked)).adomain).toEqual(['shoes.example']);

  await api('PATCH', `/creatives/${booked.creative}`, { advertiser_domain: 'own.example' });
  expect((await serveAd(replica.url, booked)).adomain).toEqual(['own.example']);
  await api('PATCH', `/creatives/${booked.creative}`, { advertiser_domain: null });
  await api('PATCH', `/campaigns/${booked.campaign}`, { advertiser_id: null });
  expect(await serveAd(replica.url, booked)).not.toHaveProperty('adomain');
});

test('a direct ad states the categories of its advertiser, also after they change', async () => {
  const booked = await book(api, 'categories');
  const id = await advertiser({ categories: ['483', 'JLBCU7'] });
  expect(await serveAd(replica.url, booked)).not.toHaveProperty('cat');
  await api('PATCH', `/creatives/${booked.creative}`, { advertiser_domain: 'own.example' });
  await api('PATCH', `/campaigns/${booked.campaign}`, { advertiser_id: id });
  expect(await serveAd(replica.url, booked)).toMatchObject({ adomain: ['own.example'], cat: ['483', 'JLBCU7'], cattax: 7 });
  await api('PATCH', `/advertisers/${id}`, { categories: ['JLBCU7'] });
  expect(await serveAd(replica.url, booked)).toMatchObject({ cat: ['JLBCU7'], cattax: 7 });
  await api('PATCH', `/campaigns/${booked.campaign}`, { advertiser_id: null });
  expect(await serveAd(replica.url, booked)).not.toHaveProperty('cat');
});

test('lists are filtered by advertiser, and its deletion names what goes with it', async () => {
  const [one, other] = [await book(api, 'one'), await book(api, 'other')];
  const id = await advertiser();
  await api('PATCH', `/campaigns/${one.campaign}`, { advertiser_id: id });
  for (const [path, found] of [
    ['campaigns', one.campaign],
    ['line_items', one.lineItem],
    ['creatives', one.creative],
  ] as const)
    expect(each((await api('GET', `/${path}?advertiser_id=${id}`)).body, 'id')).toEqual([found]);
  expect((await api('GET', `/advertisers/${id}?include=counts`)).body.counts).toEqual({ campaigns: 1, line_items: 1, creatives: 1 });
  expect((await api('DELETE', `/advertisers/${id}`)).status).toBe(204);
  expect([(await api('GET', `/campaigns/${one.campaign}`)).status, (await api('GET', `/campaigns/${other.campaign}`)).status]).toEqual([
    404, 200,
  ]);
});

test('the report of an advertiser adds up its campaigns of all publishers, by day', async () => {
  const booked = [await book(api, 'first', { cpm: 10 }), await book(api, 'second', { cpm: 20 }), await book(api, 'foreign')];
  const id = await advertiser();
  for (const { campaign } of booked.slice(0, 2)) await api('PATCH', `/campaigns/${campaign}`, { advertiser_id: id });
  for (const one of booked) await browse(`${replica.url}${(await serveAd(replica.url, one)).impurl}`);
  const path = `/advertisers/${id}/report`;
  await eventually(async () => expect((await api('GET', path)).body.totals.impressions).toBe(2));
  const { body } = await api('GET', path);
  expect(body).toMatchObject({ advertiser_id: id, totals: { impressions: 2, spend: 0.03 } });
  const rows = body.rows as Record<string, unknown>[];
  expect(rows.map(({ campaign_id, campaign, spend }) => [campaign_id, campaign, spend])).toEqual([
    [booked[0]?.campaign, 'Autumn', 0.01],
    [booked[1]?.campaign, 'Autumn', 0.02],
  ]);
  const csv = await api('GET', `${path}?format=csv`);
  expect(csv.body).toMatch(/^day,campaign_id,campaign,serves,/);
  expect((csv.body as string).trim().split('\r\n')).toHaveLength(3);
  const page = await api('GET', `${path}?limit=1`);
  expect([page.body.row_count, page.body.rows, page.body.totals, page.body.flat_fees]).toEqual([2, [rows[0]], body.totals, 0]);
  expect(page.headers.get('link')).toContain('offset=1');
  expect((await api('GET', '/advertisers/999999/report')).status).toBe(404);
});
