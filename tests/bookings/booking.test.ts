import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { apiOf, each, type ApiCall } from '../api/api-client.ts';

let replica: Replica;
let api: ApiCall;
let publisher: number;
const as = (name: string) => ({ Authorization: `Bearer ${name}-token-of-at-least-sixteen` });
const FLIGHT = { start_date: '2020-01-01', end_date: '2099-01-01' };
const ad = (name: string, width: number, height: number, more: object = {}) => ({
  fields: { name, format: 'html', content: `<p>${name}</p>`, width, height, ...more },
});

beforeAll(async () => {
  const env = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() };
  const tokens = ['ann', 'bob'].map((name) => `${name}:${name}-token-of-at-least-sixteen`).join(',');
  replica = await startReplica({ env: { ...env, ADMIN_TOKEN: tokens } });
  const call = apiOf(replica.url);
  api = (method, path, body, headers) => call(method, path, body, { ...as('ann'), ...headers });
  publisher = (await api('POST', '/publishers', { name: 'The Gazette', domain: 'gazette.example' })).body.id;
  for (const [id, width, height] of [
    ['top', 728, 90],
    ['side', 300, 250],
    ['tall', 300, 600],
  ] as const)
    await api('POST', '/placements', { id, publisher_id: publisher, width, height, formats: ['html', 'banner'] });
});

const booking = (name: string, item: object = {}, creatives: readonly object[] = []) => ({
  advertiser: { name: `Client of ${name}` },
  campaign: { fields: { publisher_id: publisher, name, order_number: 'PO-7', contact: 'ada@boots.example', ...FLIGHT } },
  line_items: [{ fields: { name: 'Phones', active: true, cpm: 9, ...FLIGHT, placement_ids: ['top', 'side'], ...item }, creatives }],
});

test('a booking creates the advertiser, campaign, line items and creatives, which are on the placements that they fit', async () => {
  const { status, body } = await api('POST', '/bookings', booking('Boots', {}, [ad('wide', 728, 90), ad('box', 300, 250)]));
  expect(status).toBe(200);
  const [{ line_item: item, creatives }] = body.line_items;
  expect(body).toMatchObject({ applied: true, campaign: { order_number: 'PO-7', contact: 'ada@boots.example' }, faults: [], stops: [] });
  expect((await api('GET', `/advertisers/${body.campaign.advertiser_id}`)).body.name).toBe('Client of Boots');
  expect(item.placement_ids).toEqual(['top', 'side']);
  expect(each(creatives, 'placement_ids')).toEqual([['top'], ['side']]);
  expect(creatives[0].follows_line_item).toBe(true);
});

test('creatives follow their line item to other placements, and one with its own stays', async () => {
  const { body } = await api(
    'POST',
    '/bookings',
    booking('Follow', {}, [ad('box', 300, 250), ad('own', 300, 250, { placement_ids: ['side'] })]),
  );
  const [{ line_item: item, creatives }] = body.line_items;
  const placesOf = async (at: number) => (await api('GET', `/creatives/${creatives[at].id}`)).body.placement_ids;
  expect((await api('PATCH', `/line_items/${item.id}`, { placement_ids: ['tall'] })).status).toBe(200);
  expect([await placesOf(0), await placesOf(1)]).toEqual([['tall'], ['side']]);
  const refused = await api('PATCH', `/line_items/${item.id}`, { placement_ids: ['top'] });
  expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, '/placement_ids']);
  // A change of its own placements ends it.
  const { body: freed } = await api('PATCH', `/creatives/${creatives[0].id}`, { placement_ids: ['side'] });
  expect(freed).toMatchObject({ follows_line_item: false, placement_ids: ['side'] });
  expect((await api('PATCH', `/creatives/${creatives[0].id}`, { follows_line_item: true })).body.placement_ids).toEqual(['tall']);
});

test('a deleted placement leaves the line items that named it', async () => {
  await api('POST', '/placements', { id: 'gone', publisher_id: publisher, width: 300, height: 250, formats: ['html'] });
  const { body } = await api('POST', '/bookings', booking('Gone', { placement_ids: ['gone', 'side'] }));
  await api('DELETE', '/placements/gone');
  expect((await api('GET', `/line_items/${body.line_items[0].line_item.id}`)).body.placement_ids).toEqual(['side']);
});

test('a dry run says what would be refused, and what would keep it from serving, and books nothing', async () => {
  const count = async () => (await api('GET', '/campaigns')).body.length;
  const before = await count();
  const asked = booking('Dry', { placement_ids: ['top', 'tall'], active: false }, [ad('wide', 728, 90, { status: 'draft' })]);
  const { status, body } = await api('POST', '/bookings?dry_run=true', asked);
  expect([status, body.applied, body.faults]).toEqual([200, false, []]);
  expect(body.stops).toEqual([
    { pointer: '/line_items/0', detail: 'the line item is paused' },
    { pointer: '/line_items/0', detail: 'wide: the creative is a draft' },
    { pointer: '/line_items/0', detail: 'no creative for placement top of 728×90' },
    { pointer: '/line_items/0', detail: 'no creative for placement tall of 300×600' },
  ]);
  expect(await count()).toBe(before);
});

test('one answer lists the faults of the campaign, its line items and their creatives, and nothing of it is booked', async () => {
  const faulty = booking('', { cpm: null, placement_ids: ['top', 'nowhere'] }, [ad('big', 970, 250), { fields: { format: 'html' } }]);
  const dry = await api('POST', '/bookings?dry_run=true', faulty);
  const pointers = each(dry.body.faults, 'pointer');
  expect(pointers).toEqual(
    expect.arrayContaining(['/campaign/fields/name', '/line_items/0/fields/cpm', '/line_items/0/fields/placement_ids/1']),
  );
  const refused = await api('POST', '/bookings', faulty);
  expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
  expect(each((await api('GET', '/advertisers?q=Client of')).body, 'name')).not.toContain('Client of ');

  const misfit = await api('POST', '/bookings?dry_run=true', booking('Misfit', {}, [ad('big', 970, 250)]));
  expect(misfit.body.faults).toEqual([
    { pointer: '/line_items/0/creatives/0/fields/placement_ids', detail: expect.stringContaining('970×250 does not fit placement top') },
  ]);
});

test('changes of different fields by two people are both kept, and one of the same field is refused', async () => {
  const { body } = await api('POST', '/bookings', booking('Two'));
  const [{ line_item: item }] = body.line_items;
  const change = (fields: object, seen: object) => ({
    campaign: { id: body.campaign.id, fields: {} },
    line_items: [{ id: item.id, fields, seen }],
  });
  expect((await api('POST', '/bookings', change({ cpm: 10 }, { cpm: 9 }), as('bob'))).status).toBe(200);
  expect((await api('POST', '/bookings', change({ name: 'All' }, { name: 'Phones' }))).status).toBe(200);
  const { status, body: refused } = await api('POST', '/bookings', change({ cpm: 11 }, { cpm: 9 }));
  expect([status, refused.errors]).toEqual([
    412,
    [{ pointer: '/line_items/0/fields/cpm', detail: 'was changed meanwhile, and is 10 now' }],
  ]);
  expect((await api('GET', `/line_items/${item.id}`)).body).toMatchObject({ cpm: 10, name: 'All' });
  const other = await api('POST', '/bookings', booking('Other'));
  const strange = { ...change({ cpm: 1 }, {}), campaign: { id: other.body.campaign.id, fields: {} } };
  expect((await api('POST', '/bookings', strange)).body.errors).toEqual([
    { pointer: '/line_items/0/id', detail: 'is of another campaign' },
  ]);
});

test('each person has their own drafts and templates', async () => {
  const draft = { kind: 'draft', name: ' Boots ', content: { campaign: { name: 'Boots' } } };
  expect((await api('PUT', '/booking_drafts/new-1', draft)).body).toMatchObject({ key: 'new-1', name: 'Boots' });
  await api('PUT', '/booking_drafts/t-1', { ...draft, kind: 'template', name: 'Usual' });
  expect(each((await api('GET', '/booking_drafts')).body, 'name')).toEqual(['Usual', 'Boots']);
  expect((await api('GET', '/booking_drafts/new-1')).body.content).toEqual(draft.content);
  expect((await api('GET', '/booking_drafts/new-1', undefined, as('bob'))).status).toBe(404);
  expect((await api('DELETE', '/booking_drafts/new-1', undefined, as('bob'))).status).toBe(404);
  expect((await api('DELETE', '/booking_drafts/new-1')).status).toBe(204);
  for (const [key, body] of [
    ['x'.repeat(65), draft],
    ['a%00b', draft],
    ['nul', { ...draft, content: { name: 'a\u0000b' } }],
    ['name', { ...draft, name: 'a\u0000b' }],
  ] as const)
    expect((await api('PUT', `/booking_drafts/${key}`, body)).status).toBe(400);
});
