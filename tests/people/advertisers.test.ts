import knexFactory, { type Knex } from 'knex';
import type { ApiCall } from '../api/api-client.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { furnish, type Furnished } from './furnish.ts';
import { callWith, MACHINE, tokenOf } from './staff.ts';

let replica: Replica;
let machine: ApiCall;
let knex: Knex;
let own: Furnished['ids'];
let beside: Furnished['ids'];
let advertiser: ApiCall;

beforeAll(async () => {
  const databaseUrl = await testDatabase();
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), ADMIN_TOKEN: MACHINE };
  replica = await startReplica({ env: { ...env, NODE_ENV: 'production', ADMIN_ENABLED: 'true' } });
  machine = callWith(replica.url, MACHINE);
  knex = knexFactory({ client: 'pg', connection: databaseUrl });
  own = (await furnish({ machine, knex, word: 'barley', impressions: 41 })).ids;
  beside = (await furnish({ machine, knex, word: 'rye', impressions: 7, publisher: own.publishers })).ids;
  advertiser = callWith(replica.url, await tokenOf(machine, 'boots', ['advertiser'], null, [Number(own.advertisers)]));
});
afterAll(() => knex.destroy());

const newCreative = () => ({
  ...{ line_item_id: own.line_items, placement_id: own.placements, format: 'html', content: '<b>new</b>', name: 'new' },
});

test('the role advertiser without advertisers is refused at its pointer, for tokens and for people, also when they are changed', async () => {
  const refused = { status: 400, pointer: '/advertisers' };
  const outcome = async (method: string, path: string, body: object) => {
    const answer = await machine(method, path, body);
    return { status: answer.status, pointer: answer.body.errors?.[0]?.pointer };
  };
  const rights = { roles: ['advertiser'], publishers: [own.publishers], advertisers: null };
  expect(await outcome('POST', '/tokens', { name: 'all', ...rights })).toEqual(refused);
  const person = { email: 'buyer@boots.example', name: 'Buyer' };
  expect(await outcome('POST', '/people', { ...person, ...rights })).toEqual(refused);
  const { status, body } = await machine('POST', '/people', { ...person, ...rights, advertisers: [own.advertisers] });
  expect(status).toBe(201);
  expect(await outcome('PATCH', `/people/${body.id}`, { advertisers: null })).toEqual(refused);
  expect((await machine('PATCH', `/people/${body.id}`, { roles: ['viewer'], advertisers: null })).status).toBe(200);
  expect(await outcome('PATCH', `/people/${body.id}`, { roles: ['advertiser'] })).toEqual(refused);
});

test('an advertiser uploads and corrects creatives and comments, and changes nothing else', async () => {
  const made = await advertiser('POST', '/creatives', newCreative());
  expect(made.status).toBe(201);
  expect((await advertiser('PATCH', `/creatives/${made.body.id}`, { content: '<b>better</b>' })).status).toBe(200);
  expect((await advertiser('POST', `/campaigns/${own.campaigns}/comments`, { text: 'Please start on Monday.' })).status).toBe(201);
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>';
  const upload = (publisher: string | number) => advertiser('PUT', `/assets?publisher_id=${publisher}&name=logo.svg`, svg, BYTES);
  expect([(await upload(own.publishers)).status, (await upload(4_000)).status]).toEqual([201, 400]);
  for (const [method, path, body] of [
    ['PATCH', `/campaigns/${own.campaigns}`, { budget: 1 }],
    ['PATCH', `/line_items/${own.line_items}`, { cpm: 0.01 }],
    ['DELETE', `/creatives/${made.body.id}`, undefined],
    ['POST', `/creatives/${made.body.id}/approve`, undefined],
    ['GET', '/audit', undefined],
    ['GET', '/alerts', undefined],
    ['GET', '/attention', undefined],
    ['GET', '/saved_reports', undefined],
    ['GET', '/report_links', undefined],
    ['GET', '/proof_links', undefined],
    ['POST', `/creatives/${own.creatives}/proof`, { text: 'Seen.' }],
    ['GET', '/people', undefined],
    ['GET', `/line_items/${own.line_items}/refusals`, undefined],
  ] as const) {
    const { status, body: answer } = await advertiser(method, path, body);
    expect([method, path, status, answer.code]).toEqual([method, path, 403, 'forbidden']);
  }
  const foreign = await advertiser('POST', '/creatives', { ...newCreative(), line_item_id: beside.line_items });
  expect([foreign.status, foreign.body.errors[0].pointer]).toEqual([400, '/line_item_id']);
  const elsewhere = await advertiser('POST', '/creatives', { ...newCreative(), placement_id: beside.placements });
  expect([elsewhere.status, elsewhere.body.errors[0].pointer]).toEqual([400, '/placement_id']);
});
const BYTES = { 'Content-Type': 'application/octet-stream' };

test('what an advertiser changes waits for approval where the publisher requires it, also what was rejected', async () => {
  await machine('PATCH', `/publishers/${own.publishers}`, { creative_approval: 'required' });
  const made = (await advertiser('POST', '/creatives', { ...newCreative(), status: 'approved' })).body;
  expect(made.status).toBe('pending');
  const statusAfter = async (content: string) => (await advertiser('PATCH', `/creatives/${made.id}`, { content })).body.status;
  await machine('POST', `/creatives/${made.id}/approve`);
  expect(await statusAfter('<b>other</b>')).toBe('pending');
  await machine('POST', `/creatives/${made.id}/reject`);
  expect((await advertiser('PATCH', `/creatives/${made.id}`, { name: 'renamed' })).body.status).toBe('rejected');
  expect(await statusAfter('<b>corrected</b>')).toBe('pending');
  const approved = await advertiser('PATCH', `/creatives/${made.id}`, { status: 'approved' });
  expect([approved.status, approved.body.code]).toEqual([403, 'forbidden']);
  await machine('PATCH', `/publishers/${own.publishers}`, { creative_approval: 'none' });
});

test('a campaign that another advertiser gets is gone for the first, with its new name; what was paid before stays in its report', async () => {
  const flight = { start_date: '2026-01-01', end_date: '2999-12-31' };
  const named = { publisher_id: own.publishers, name: 'shared', ...flight };
  const { id } = (await machine('POST', '/campaigns', { ...named, advertiser_id: own.advertisers })).body;
  const day = new Date().toISOString().slice(0, 10);
  await knex('report_days').insert({
    ...{ day, publisher_id: own.publishers, campaign_id: id, advertiser_id: own.advertisers, line_item_id: 7_000, creative_id: 7_000 },
    ...{ placement_id: own.placements, reason: '', impressions: 3 },
  });
  const rows = async () => (await advertiser('GET', `/reports?group_by=campaign&metrics=impressions&filter[campaign]=${id}`)).body.rows;
  expect(await rows()).toEqual([{ campaign_id: id, campaign: 'shared', impressions: 3 }]);
  await machine('PATCH', `/campaigns/${id}`, { advertiser_id: beside.advertisers, name: 'rye secret' });
  expect(await rows()).toEqual([{ campaign_id: id, campaign: null, impressions: 3 }]);
  expect((await advertiser('GET', `/campaigns/${id}`)).status).toBe(404);
  expect((await advertiser('GET', `/advertisers/${own.advertisers}/report`)).status).toBe(200);
  await machine('DELETE', `/campaigns/${id}`);
});

test('a trafficker of one publisher invites, lists and disables people of its advertisers, and nobody else', async () => {
  const elsewhere = (await furnish({ machine, knex, word: 'sesame', impressions: 1 })).ids;
  const trafficker = callWith(replica.url, await tokenOf(machine, 'sales', ['trafficker'], [Number(own.publishers)]));
  const rights = { roles: ['advertiser'], publishers: [own.publishers], advertisers: [own.advertisers] };
  const invite = (email: string, more: object = {}) => trafficker('POST', '/people', { email, name: email, ...rights, ...more });
  const invited = await invite('a@boots.example');
  expect([invited.status, invited.body.roles]).toEqual([201, ['advertiser']]);
  for (const [more, pointer] of [
    [{ roles: ['viewer'] }, '/roles'],
    [{ roles: ['advertiser', 'administrator'] }, '/roles'],
    [{ publishers: null }, '/publishers'],
    [{ publishers: [own.publishers, elsewhere.publishers] }, '/publishers/1'],
    [{ advertisers: [elsewhere.advertisers] }, '/advertisers/0'],
    [{ advertisers: null }, '/advertisers'],
  ] as const) {
    const { status, body } = await invite('b@boots.example', more);
    expect([more, status, body.errors?.[0]?.pointer]).toEqual([more, 400, pointer]);
  }
  const unknown = (await invite('b@boots.example', { advertisers: [900_000] })).body.errors;
  const others = (await invite('b@boots.example', { advertisers: [elsewhere.advertisers] })).body.errors;
  expect(JSON.stringify(others).replace(String(elsewhere.advertisers), '900000')).toBe(JSON.stringify(unknown));

  const staff = (await machine('POST', '/people', { email: 'c@gazette.example', name: 'C', ...rights, roles: ['viewer'] })).body;
  const foreign = { ...rights, publishers: [elsewhere.publishers], advertisers: [elsewhere.advertisers] };
  const of = (await machine('POST', '/people', { email: 'd@boots.example', name: 'D', ...foreign })).body;
  expect(((await trafficker('GET', '/people')).body as { id: number }[]).map(({ id }) => id)).toEqual([invited.body.id]);
  for (const { id } of [staff, of]) {
    expect((await trafficker('GET', `/people/${id}`)).status).toBe(404);
    expect((await trafficker('PATCH', `/people/${id}`, { disabled: true })).status).toBe(404);
  }
  const path = `/people/${invited.body.id}`;
  expect((await trafficker('PATCH', path, { roles: ['administrator'] })).status).toBe(403);
  expect((await trafficker('PATCH', path, { disabled: true })).body.disabled_at).not.toBeNull();
  expect((await trafficker('GET', `${path}/sessions`)).status).toBe(403);
  expect((await machine('GET', '/people')).body.length).toBeGreaterThan(3);
});
