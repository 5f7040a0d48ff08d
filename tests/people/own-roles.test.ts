import knexFactory, { type Knex } from 'knex';
import { PERMISSION_AREAS, PERMISSION_NAMES } from '../../src/access/permissions.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import type { ApiCall, Json } from '../api/api-client.ts';
import { browserAt, type TestBrowser } from './browser.ts';
import { callWith, MACHINE, tokenOf } from './staff.ts';

const PASSWORD = 'a long enough pass phrase';

let replica: Replica;
let knex: Knex;
let machine: ApiCall;

const make = async (name: string, permissions: readonly string[], by: ApiCall = machine) => by('POST', '/roles', { name, permissions });
const person = async (name: string, roles: readonly string[]): Promise<TestBrowser & { readonly id: number }> => {
  const invited = await machine('POST', '/people', { email: `${name}@gazette.example`, name, roles, publishers: null });
  expect([name, invited.status]).toEqual([name, 201]);
  const secret = /adsl_\w+/.exec(invited.body.link)?.[0];
  const browser = browserAt(replica.url);
  expect((await browser.call('POST', '/auth/password', { secret, password: PASSWORD })).status).toBe(200);
  return { ...browser, id: invited.body.id };
};
const listed = async (call: ApiCall = machine): Promise<Json[]> => (await call('GET', '/roles')).body;

beforeAll(async () => {
  const databaseUrl = await testDatabase();
  replica = await startReplica({
    env: {
      ...{ DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), NODE_ENV: 'production', ADMIN_ENABLED: 'true' },
      ...{ ADMIN_TOKEN: MACHINE, ACCOUNTS: 'true', TOOL_URL: 'https://ads.gazette.example', TRUST_PROXY_HOPS: '1' },
    },
  });
  machine = callWith(replica.url, MACHINE);
  knex = knexFactory({ client: 'pg', connection: databaseUrl });
});
afterAll(() => knex.destroy());

test('every permission is in one area', () => {
  expect(Object.values(PERMISSION_AREAS).flat().toSorted()).toEqual([...PERMISSION_NAMES].toSorted());
});

test('a role that is made gives people and tokens its permissions; a change of it applies to the next call', async () => {
  const made = await make('Nachtschicht', ['alerts.read', 'records.read']);
  expect([made.status, made.body]).toMatchObject([
    201,
    {
      name: 'Nachtschicht',
      people: 0,
      permissions: [
        { name: 'records.read', area: 'Bookings' },
        { name: 'alerts.read', area: 'Delivery' },
      ],
    },
  ]);
  const ann = await person('ann', ['Nachtschicht']);
  const token = callWith(replica.url, await tokenOf(machine, 'night robot', ['Nachtschicht'], null));
  for (const [status, path] of [
    [200, '/campaigns'],
    [200, '/alerts'],
    [403, '/reports?metrics=impressions'],
  ] as const) {
    expect([path, (await ann.call('GET', `/api${path}`)).status]).toEqual([path, status]);
    expect([path, (await token('GET', path)).status]).toEqual([path, status]);
  }
  const changed = await machine(
    'PATCH',
    `/roles/${made.body.id}`,
    { name: 'Spätschicht', permissions: ['records.read'] },
    { 'Change-Note': 'fewer' },
  );
  expect([changed.status, changed.body.name]).toEqual([200, 'Spätschicht']);
  expect((await ann.call('GET', '/api/alerts')).status).toBe(403);
  expect((await ann.call('GET', '/api/me')).body).toMatchObject({ roles: ['Spätschicht'], permissions: ['records.read'] });
  expect((await token('GET', '/me')).body.roles).toEqual(['Spätschicht']);
  expect((await listed()).at(-1)).toMatchObject({ name: 'Spätschicht', people: 1, tokens: 1 });
  const [audited] = (await machine('GET', '/audit?entity=role')).body;
  expect(audited).toMatchObject({ action: 'update', note: 'fewer', before: { name: 'Nachtschicht' }, after: { name: 'Spätschicht' } });
});

test('a role in use is deleted only when another one is named for who has it', async () => {
  const { body: made } = await make('to be gone', ['records.read']);
  const bob = await person('bob', ['to be gone', 'finance']);
  const inUse = await machine('DELETE', `/roles/${made.id}`);
  expect([inUse.status, inUse.body.errors]).toMatchObject([409, [{ pointer: '/instead' }]]);
  for (const instead of ['to be gone', 'advertiser', 'never made'])
    expect([instead, (await machine('DELETE', `/roles/${made.id}?instead=${encodeURIComponent(instead)}`)).status]).toEqual([instead, 400]);
  expect((await machine('DELETE', `/roles/${made.id}?instead=finance`)).status).toBe(204);
  expect((await bob.call('GET', '/api/me')).body.roles).toEqual(['finance']);
  expect((await machine('DELETE', `/roles/${made.id}`)).status).toBe(404);
  const { body: unused } = await make('unused', ['records.read']);
  expect((await machine('DELETE', `/roles/${unused.id}`)).status).toBe(204);
});

test.each([
  ['the name of a built-in role', { name: 'viewer', permissions: ['records.read'] }, 409],
  ['the same name, in capitals', { name: 'VIEWER', permissions: ['records.read'] }, 409],
  ['a name with a sign of OIDC_ROLES', { name: 'a+b', permissions: ['records.read'] }, 400],
  ['no permission', { name: 'empty', permissions: [] }, 400],
  ['a permission that does not exist', { name: 'odd', permissions: ['records.destroy'] }, 400],
])('a role with %s is refused', async (_, body, status) => {
  expect((await machine('POST', '/roles', body)).status).toBe(status);
});

test('people and tokens cannot get a role that does not exist', async () => {
  for (const path of ['/people', '/tokens']) {
    const { status, body } = await machine('POST', path, {
      email: 'x@gazette.example',
      name: 'x',
      roles: ['viewer', 'wizard'],
      publishers: null,
    });
    expect([path, status]).toEqual([path, 400]);
    expect(JSON.stringify(body.errors)).toContain(path === '/tokens' ? 'email' : 'wizard');
  }
});

test('nobody gives more than they have: not by a role, a person, a token, a link, or a change of someone who may do more', async () => {
  await make('office', ['people.write', 'people.invite', 'records.read', 'history.read']);
  const eve = await person('eve', ['office']);
  const chief = await person('chief', ['administrator']);
  const call: ApiCall = (method, path, body) => eve.call(method, `/api${path}`, body);
  const before = await knex('people').where({ id: chief.id }).first();

  expect((await make('more', ['records.read', 'setup.write'], call)).body.errors).toMatchObject([{ pointer: '/permissions' }]);
  expect((await make('same', ['records.read'], call)).status).toBe(201);
  const late = (await listed()).find(({ name }) => name === 'office');
  expect((await call('PATCH', `/roles/${late.id}`, { permissions: ['people.write', 'finance.write'] })).status).toBe(400);
  const { body: rich } = await make('rich', ['finance.write']);
  expect((await call('DELETE', `/roles/${rich.id}`)).status).toBe(400);

  for (const roles of [['administrator'], ['rich'], ['trafficker']]) {
    const invited = await call('POST', '/people', { email: 'new@gazette.example', name: 'New', roles, publishers: null });
    expect([roles, invited.status, invited.body.errors[0].pointer]).toEqual([roles, 400, '/roles']);
    expect((await call('POST', '/tokens', { name: 'new', roles, publishers: null })).status).toBe(400);
    expect((await call('PATCH', `/people/${eve.id}`, { roles })).status).toBe(400);
  }
  for (const [method, path, body] of [
    ['PATCH', `/people/${chief.id}`, { disabled: true }],
    ['PATCH', `/people/${chief.id}`, { roles: ['office'] }],
    ['POST', `/people/${chief.id}/link`, undefined],
    ['DELETE', `/people/${chief.id}/sessions`, undefined],
    ['DELETE', `/people/${chief.id}/factors`, undefined],
  ] as const)
    expect([method, path, (await call(method, path, body)).status]).toEqual([method, path, 403]);
  expect(await knex('people').where({ id: chief.id }).first()).toEqual(before);
  expect((await chief.call('GET', '/api/me')).status).toBe(200);
  const ok = await call('POST', '/people', { email: 'fay@gazette.example', name: 'Fay', roles: ['same'], publishers: null });
  expect(ok.status).toBe(201);
});

test('who does not manage people reads the built-in roles and their own, without who has them', async () => {
  const viewer = callWith(replica.url, await tokenOf(machine, 'reader', ['viewer', 'Spätschicht'], null));
  const roles = await listed(viewer);
  expect(roles.map(({ name }) => name)).toEqual([
    'viewer',
    'trafficker',
    'approver',
    'finance',
    'administrator',
    'advertiser',
    'buyer',
    'Spätschicht',
  ]);
  expect(new Set(roles.map(({ people }) => people))).toEqual(new Set([null]));
});
