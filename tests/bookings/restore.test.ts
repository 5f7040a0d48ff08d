import { Redis } from 'ioredis';
import knexFactory, { type Knex } from 'knex';
import { browse } from '../../testkit/person.ts';
import { eventually } from '../../testkit/until.ts';
import { apiOf, book, each, itemsOf, serveAd, type ApiCall, type Booked, type Json } from '../api/api-client.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

let replica: Replica;
let api: ApiCall;
let knex: Knex;
let redis: Redis;

beforeAll(async () => {
  const [databaseUrl, redisUrl] = [await testDatabase(), await testRedisUrl()];
  replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } });
  api = apiOf(replica.url);
  knex = knexFactory({ client: 'pg', connection: databaseUrl });
  redis = new Redis(redisUrl);
});
afterAll(async () => {
  redis.disconnect();
  await knex.destroy();
});

const get = async (path: string): Promise<Json> => (await api('GET', path)).body;
const gone = async (path: string): Promise<void> => expect((await api('DELETE', path)).status).toBe(204);
const restored = async (path: string): Promise<Json> => {
  const { status, body } = await api('POST', `${path}/restore`);
  expect([status, body.errors]).toEqual([200, undefined]);
  return body;
};
const faultsOf = async (path: string): Promise<readonly unknown[]> => {
  const { status, body } = await api('POST', `${path}/restore`);
  expect([status, body.code]).toEqual([409, 'conflict']);
  return itemsOf(body.errors).map(({ detail }) => detail as unknown);
};
/** Serves as many ads as there are, and shows them. */
const sellOut = async (booked: Booked): Promise<number> => {
  for (let shown = 0; ; shown++) {
    const bid = await serveAd(replica.url, booked, `u${shown}`);
    if (!bid) return shown;
    await browse(`${replica.url}${bid.impurl}`);
  }
};
const allOf = async ({ campaign, lineItem, creative }: Booked): Promise<Json> =>
  Promise.all([`/campaigns/${campaign}`, `/line_items/${lineItem}`, `/creatives/${creative}`].map(get));

test('a campaign is back with its line items, creatives and comments, under their ids, with their counts; its cap is not sold twice', async () => {
  const booked = await book(api, 'tree', { daily_impression_cap: 3 });
  await api('POST', `/line_items/${booked.lineItem}/comments`, { text: 'Call before the weekend.' });
  expect(await sellOut(booked)).toBe(3);
  await eventually(async () => expect((await get(`/campaigns/${booked.campaign}/report`)).totals.impressions).toBe(3));
  const before = await allOf(booked);
  const comments = await get(`/line_items/${booked.lineItem}/comments`);
  await gone(`/campaigns/${booked.campaign}`);
  expect((await api('GET', `/line_items/${booked.lineItem}`)).status).toBe(404);
  const [deletion] = itemsOf(await get(`/audit?entity=campaign&entity_id=${booked.campaign}&action=delete`));
  expect(deletion).toMatchObject({ restorable: true, before: { deleted_with_it: { line_items: 1, creatives: 1 } } });
  // No line of the history leads to a record that went with another one.
  const ofIt = [`entity=campaign&entity_id=${booked.campaign}`, `entity=line_item&entity_id=${booked.lineItem}`];
  const exists = async () => (await Promise.all(ofIt.map((of) => get(`/audit?${of}`)))).flatMap(itemsOf).map((line) => line['exists']);
  expect(new Set(await exists())).toEqual(new Set([false]));

  // Redis has lost what it knew of the publisher.
  for (const key of await redis.keys(`*accounts*:${booked.publisher.id}`)) await redis.del(key);
  expect(await restored(`/campaigns/${booked.campaign}`)).toEqual(before[0]);
  expect(await allOf(booked)).toEqual(before);
  expect(new Set(await exists())).toEqual(new Set([true]));
  expect(await get(`/line_items/${booked.lineItem}/comments`)).toEqual(comments);
  expect(await serveAd(replica.url, booked, 'later')).toBeUndefined();
  expect((await get(`/line_items/${booked.lineItem}/delivery`)).today).toMatchObject({ impressions: 3 });
  const history = itemsOf(await get(`/audit?entity=campaign&entity_id=${booked.campaign}`));
  expect(history.slice(0, 2).map(({ action, restorable, after }) => [action, restorable, after?.restored_with_it])).toEqual([
    ['restore', false, { line_items: 1, creatives: 1, comments: 1 }],
    ['delete', false, undefined],
  ]);
  // With a higher cap the rest of it is sold.
  await api('PATCH', `/line_items/${booked.lineItem}`, { daily_impression_cap: 5 });
  expect(await sellOut(booked)).toBe(2);
});

test('ads that are out when a line item is deleted settle, and count towards its cap when it is restored', async () => {
  const booked = await book(api, 'out', { daily_impression_cap: 3 });
  const bids = [await serveAd(replica.url, booked, 'a'), await serveAd(replica.url, booked, 'b')];
  await gone(`/line_items/${booked.lineItem}`);
  for (const { impurl } of bids) await browse(`${replica.url}${impurl}`);
  await restored(`/line_items/${booked.lineItem}`);
  expect(await sellOut(booked)).toBe(1);
});

test('a publisher is back with all it has, its key, and the places of its records in the lists of others', async () => {
  const booked = await book(api, 'whole');
  const boots = (await api('POST', '/advertisers', { name: 'Boots' })).body.id;
  await api('PATCH', '/placements/whole', { blocked_advertiser_ids: [boots] });
  await gone(`/publishers/${booked.publisher.id}`);
  expect((await api('GET', '/placements/whole')).status).toBe(404);
  await restored(`/publishers/${booked.publisher.id}`);
  expect(await serveAd(replica.url, booked)).toMatchObject({ crid: String(booked.creative) });

  await gone(`/advertisers/${boots}`);
  expect((await get('/placements/whole')).blocked_advertiser_ids).toEqual([]);
  await restored(`/advertisers/${boots}`);
  expect((await get('/placements/whole')).blocked_advertiser_ids).toEqual([boots]);
});

test('a placement is back in the creatives that have stayed on others', async () => {
  const booked = await book(api, 'first');
  await api('POST', '/placements', { id: 'second', publisher_id: booked.publisher.id, width: 300, height: 250, formats: ['html'] });
  await api('PATCH', `/creatives/${booked.creative}`, { placement_ids: ['first', 'second'] });
  const before = await get(`/creatives/${booked.creative}`);
  await gone('/placements/first');
  expect((await get(`/creatives/${booked.creative}`)).placement_ids).toEqual(['second']);
  await restored('/placements/first');
  expect(await get(`/creatives/${booked.creative}`)).toEqual(before);
});

test('a creative that is restored leaves the placements that are gone', async () => {
  const booked = await book(api, 'stays');
  await api('POST', '/placements', { id: 'goes', publisher_id: booked.publisher.id, width: 300, height: 250, formats: ['html'] });
  await api('PATCH', `/creatives/${booked.creative}`, { placement_ids: ['goes', 'stays'] });
  await gone(`/campaigns/${booked.campaign}`);
  await gone('/placements/goes');
  await restored(`/campaigns/${booked.campaign}`);
  expect(await get(`/creatives/${booked.creative}`)).toMatchObject({ placement_id: 'stays', placement_ids: ['stays'] });
});

describe('a restoration is refused', () => {
  it('when a parent is gone, which it names; after that is restored it succeeds', async () => {
    const booked = await book(api, 'orphan');
    await gone(`/line_items/${booked.lineItem}`);
    await gone(`/campaigns/${booked.campaign}`);
    expect(await faultsOf(`/line_items/${booked.lineItem}`)).toEqual([
      `line item ${booked.lineItem} needs campaign ${booked.campaign}, which is deleted: restore that first`,
    ]);
    await restored(`/campaigns/${booked.campaign}`);
    expect((await api('GET', `/line_items/${booked.lineItem}`)).status).toBe(404);
    await restored(`/line_items/${booked.lineItem}`);
    expect(await serveAd(replica.url, booked)).toBeDefined();
  });

  it('when it went with another record, which is to be restored', async () => {
    const booked = await book(api, 'part');
    await gone(`/campaigns/${booked.campaign}`);
    expect(await faultsOf(`/creatives/${booked.creative}`)).toEqual([
      `the creative was deleted with campaign ${booked.campaign}: restore that`,
    ]);
  });

  it('when its id is taken', async () => {
    const booked = await book(api, 'taken');
    await gone('/placements/taken');
    await api('POST', '/placements', { id: 'taken', publisher_id: booked.publisher.id, width: 1, height: 1, formats: ['html'] });
    expect(await faultsOf('/placements/taken')).toEqual(['there is another placement taken now: delete or rename that one']);
  });

  it('when nothing was deleted, twice, or when another tag was expected', async () => {
    const booked = await book(api, 'never');
    const never = await api('POST', `/campaigns/${booked.campaign}/restore`);
    expect([never.status, never.body.detail]).toEqual([404, 'No campaign with this id was deleted in the last 90 days.']);
    await gone(`/campaigns/${booked.campaign}`);
    const stale = await api('POST', `/campaigns/${booked.campaign}/restore`, undefined, { 'If-Match': '"other"' });
    expect([stale.status, (await api('GET', `/campaigns/${booked.campaign}`)).status]).toEqual([412, 404]);
    await restored(`/campaigns/${booked.campaign}`);
    expect((await api('POST', `/campaigns/${booked.campaign}/restore`)).status).toBe(404);
  });
});

test('deletions and restorations of a bulk are one change', async () => {
  const booked = await book(api, 'bulk');
  await gone(`/line_items/${booked.lineItem}`);
  const { status, body } = await api('POST', '/bulk', {
    operations: [
      { method: 'POST', path: `/line_items/${booked.lineItem}/restore` },
      { method: 'PATCH', path: `/line_items/${booked.lineItem}`, body: { name: 'Back' } },
    ],
  });
  expect([status, each(body.results, 'status')]).toEqual([200, [200, 200]]);
  expect(await get(`/line_items/${booked.lineItem}`)).toMatchObject({ name: 'Back' });
});

test('after 90 days a deletion is not undone, and its names stay', async () => {
  const booked = await book(api, 'old');
  await gone(`/campaigns/${booked.campaign}`);
  const { forgetDeleted } = await import('../../src/bookings/deleted-records.ts');
  await forgetDeleted(knex, Date.now() + 89 * 86_400_000);
  expect(await faultsOf(`/creatives/${booked.creative}`)).toHaveLength(1);
  await forgetDeleted(knex, Date.now() + 91 * 86_400_000);
  expect((await api('POST', `/campaigns/${booked.campaign}/restore`)).status).toBe(404);
  const names = await knex('deleted_records')
    .where({ table_name: 'campaigns', record_id: String(booked.campaign) })
    .pluck('name');
  expect(names).toEqual(['Autumn']);
});
