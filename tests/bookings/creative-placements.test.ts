import request from 'supertest';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { apiOf, book, each, serveAd, type ApiCall, type Booked } from '../api/api-client.ts';

let replica: Replica;
let api: ApiCall;

beforeAll(async () => {
  replica = await startReplica({ env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() } });
  api = apiOf(replica.url);
});

const addPlacement = (id: string, more: object = {}) =>
  api('POST', '/placements', { id, width: 300, height: 250, formats: ['html'], ...more });

/** A creative on the placements `name` and `${name}-2`. */
const bookTwo = async (name: string): Promise<Booked> => {
  const booked = await book(api, name);
  await addPlacement(`${name}-2`, { publisher_id: booked.publisher.id });
  const both = await api('PATCH', `/creatives/${booked.creative}`, { placement_ids: [name, `${name}-2`] });
  expect(both.body).toMatchObject({ placement_id: name, placement_ids: [name, `${name}-2`] });
  return booked;
};
const second = (booked: Booked): Booked => ({ ...booked, placement: `${booked.placement}-2` });
const patch = ({ creative }: Booked, change: object) => api('PATCH', `/creatives/${creative}`, change);

test('a creative serves on each of its placements, and once in an answer', async () => {
  const booked = await bookTwo('two');
  expect((await serveAd(replica.url, booked)).crid).toBe(String(booked.creative));
  expect((await serveAd(replica.url, second(booked))).crid).toBe(String(booked.creative));
  const imp = ['two', 'two-2'].map((tagid) => ({ id: tagid, tagid }));
  const { body } = await request(replica.url)
    .post('/ad')
    .set('X-API-Key', booked.publisher.api_key)
    .send({ id: 'r', imp, user: { id: 'u1' }, ext: { publisher_id: booked.publisher.id } });
  expect([body.seatbid[0].bid.length, each(body.ext.nonbid, 'nbr')]).toEqual([1, [509]]);

  await api('PATCH', '/placements/two', { archived: true });
  expect([await serveAd(replica.url, booked), (await serveAd(replica.url, second(booked))).crid]).toEqual([
    undefined,
    `${booked.creative}`,
  ]);
  expect((await api('GET', `/line_items/${booked.lineItem}/delivery`)).body.status).toEqual({
    value: 'delivering',
    reasons: [],
    off_pace: 0,
    behind: null,
    held_until: null,
    stuck_creatives: [],
  });
  for (const id of ['two', 'two-2'])
    expect(each((await api('GET', `/creatives?placement_id=${id}`)).body, 'id')).toEqual([booked.creative]);
});

test('the short form is a list of one, and replaces a list', async () => {
  const booked = await bookTwo('forms');
  expect((await patch(booked, { placement_id: 'forms-2' })).body).toMatchObject({ placement_id: 'forms-2', placement_ids: ['forms-2'] });
  expect(await serveAd(replica.url, booked)).toBeUndefined();
  const sentBack = (await patch(booked, { placement_ids: ['forms', 'forms-2'] })).body;
  expect((await api('PUT', `/creatives/${booked.creative}`, { ...sentBack, name: 'Red' })).body).toEqual({ ...sentBack, name: 'Red' });
  expect((await patch(booked, { placement_id: 'forms-2', placement_ids: ['forms', 'forms-2'] })).body.placement_ids).toEqual([
    'forms-2',
    'forms',
  ]);
});

test('every fault of the placements is listed at its pointer', async () => {
  const booked = await bookTwo('faults');
  const other = await book(api, 'faults-theirs');
  await addPlacement('faults-native', { formats: ['native'] });
  const faults = async (change: object) =>
    Object.fromEntries(
      ((await patch(booked, change)).body.errors as { pointer: string; detail: string }[]).map(({ pointer, detail }) => [pointer, detail]),
    );
  expect(await faults({ placement_ids: ['faults', 'nowhere', 'faults-theirs', 'faults-native'] })).toEqual({
    '/placement_ids/1': 'nowhere does not exist',
    '/placement_ids/2': `faults-theirs belongs to The Gazette (publisher ${other.publisher.id}), the line item to The Gazette (publisher ${booked.publisher.id})`,
    '/format': 'placement faults-native allows native only',
  });
  expect(await faults({ placement_ids: [] })).toEqual({ '/placement_ids': 'must have at least one value' });
  expect(await faults({ placement_ids: null })).toEqual({ '/placement_ids': 'is required' });
  expect(await faults({ placement_ids: ['faults', 'faults'] })).toEqual({ '/placement_ids': 'must not have the same value twice' });
  expect(await faults({ placement_id: 'faults-2', placement_ids: ['faults'] })).toEqual({
    '/placement_id': 'must be one of placement_ids',
  });
});

test('a creative is deleted with the last of its placements', async () => {
  const booked = await bookTwo('deleted');
  expect((await api('GET', '/placements/deleted?include=counts')).body.counts).toEqual({ creatives: 0 });
  expect((await api('DELETE', '/placements/deleted')).status).toBe(204);
  expect((await api('GET', `/creatives/${booked.creative}`)).body.placement_ids).toEqual(['deleted-2']);
  expect(await serveAd(replica.url, second(booked))).toBeDefined();
  expect((await api('GET', '/placements/deleted-2?include=counts')).body.counts).toEqual({ creatives: 1 });
  await api('DELETE', '/placements/deleted-2');
  expect((await api('GET', `/creatives/${booked.creative}`)).status).toBe(404);
});

test('why a line item does not fill a request names the placements that its creative has', async () => {
  const booked = await bookTwo('explained');
  await addPlacement('explained-other');
  const ask = { id: 'r', imp: [{ id: '1', tagid: 'explained-other' }], user: { id: 'u' }, ext: { publisher_id: booked.publisher.id } };
  const { body } = await api('POST', '/explain', { request: ask, line_item_id: booked.lineItem });
  expect(body.creatives[0].detail).toBe('it is on placements explained, explained-2, which the request does not name');
});
