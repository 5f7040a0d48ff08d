import knexFactory, { type Knex } from 'knex';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { apiOf, each, type ApiCall } from '../api/api-client.ts';
import { callWith, MACHINE, tokenOf } from './staff.ts';

let replica: Replica;
let second: Replica;
let machine: ApiCall;
let knex: Knex;

beforeAll(async () => {
  const databaseUrl = await testDatabase();
  const env = {
    ...{ DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), NODE_ENV: 'production', ADMIN_ENABLED: 'true' },
    ...{ ADMIN_TOKEN: `machine:${MACHINE}`, TRUST_PROXY_HOPS: '1' },
  };
  [replica, second] = await Promise.all([startReplica({ env }), startReplica({ env })]);
  machine = callWith(replica.url, MACHINE);
  knex = knexFactory({ client: 'pg', connection: databaseUrl });
});
afterAll(() => knex.destroy());

test('a token is shown once; the list has its first characters, and the database its digest alone', async () => {
  const wanted = { name: 'nightly export', roles: ['viewer'], publishers: null, expires_at: '2099-01-01T00:00:00Z' };
  const { status, body } = await machine('POST', '/tokens', wanted);
  expect(status).toBe(201);
  expect(body).toMatchObject({ name: 'nightly export', roles: ['viewer'], publishers: null, created_by: 'machine', last_used_at: null });
  const { token, ...shown } = body as { readonly token: string; readonly prefix: string };
  expect(token).toMatch(/^adst_[0-9a-f]{56}$/);
  expect(token.startsWith(shown.prefix)).toBe(true);

  const [listed] = (await machine('GET', '/tokens')).body;
  expect(listed).toEqual({ ...shown, expires_at: '2099-01-01T00:00:00.000Z' });
  const secret = token.slice(shown.prefix.length);
  const stored = JSON.stringify([await knex('api_tokens'), await knex('audit')]);
  expect([stored.includes(secret), stored.includes(Buffer.from(token).toString('hex')), replica.logs().includes(secret)]).toEqual([
    false,
    false,
    false,
  ]);
});

test('its caller is known by its name in the history and by GET /api/me, with what it may do', async () => {
  const publisher = (await machine('POST', '/publishers', { name: 'p', domain: 'p.example' })).body;
  const api = callWith(replica.url, await tokenOf(machine, 'booker', ['trafficker'], [publisher.id]));
  const me = (await api('GET', '/me')).body;
  expect(me).toMatchObject({ id: expect.any(Number), name: 'token:booker', email: null, roles: ['trafficker'] });
  expect([me.publishers, me.advertisers]).toEqual([[publisher.id], null]);
  expect(me.permissions).toEqual(expect.arrayContaining(['bookings.write', 'reports.read']));
  expect(me.permissions).not.toContain('people.write');

  const campaign = { publisher_id: publisher.id, name: 'c', start_date: '2026-01-01', end_date: '2026-12-31' };
  expect((await api('POST', '/campaigns', campaign)).status).toBe(201);
  expect(each((await machine('GET', '/audit?entity=campaign')).body, 'actor')).toEqual(['token:booker']);
  expect((await machine('GET', '/me')).body).toMatchObject({ id: null, name: 'machine', roles: ['administrator'], publishers: null });
  const [role] = (await api('GET', '/roles')).body;
  expect(role).toEqual({
    ...{ id: null, name: 'viewer', people: null, tokens: null },
    permissions: expect.arrayContaining([{ name: 'reports.read', area: 'Results', words: 'read reports' }]),
  });
});

test('a revoked token is refused by every replica at once, and its name stays taken', async () => {
  const token = await tokenOf(machine, 'short-lived', ['viewer'], null);
  const elsewhere = callWith(second.url, token);
  expect((await elsewhere('GET', '/publishers')).status).toBe(200);
  const [{ id, last_used_at: used }] = (await machine('GET', '/tokens')).body;
  expect(Date.now() - Date.parse(used)).toBeLessThan(60_000);

  expect((await machine('DELETE', `/tokens/${id}`)).status).toBe(204);
  for (const url of [second.url, replica.url]) {
    const refused = await callWith(url, token)('GET', '/publishers');
    expect([refused.status, refused.body.code]).toEqual([401, 'admin_unauthorized']);
  }
  expect((await machine('DELETE', `/tokens/${id}`)).status).toBe(404);
  const again = await machine('POST', '/tokens', { name: 'short-lived', roles: ['viewer'], publishers: null });
  expect([again.status, again.body.detail]).toEqual([409, 'A token has, or had, this name: choose another one.']);
  const changes = (await machine('GET', `/audit?entity=api_token&entity_id=${id}`)).body;
  expect(each(changes, 'action')).toEqual(['delete', 'create']);
});

test('a token that has expired is refused', async () => {
  const token = await tokenOf(machine, 'expiring', ['viewer'], null);
  await knex('api_tokens')
    .where({ name: 'expiring' })
    .update({ expires_at: knex.raw("now() - interval '1 second'") });
  expect((await callWith(replica.url, token)('GET', '/publishers')).status).toBe(401);
});

test.each([
  ['another last digit, which its checksum shows', (token: string) => token.slice(0, -1) + (token.endsWith('0') ? '1' : '0')],
  ['its beginning alone', (token: string) => token.slice(0, 20)],
  ['upper case', (token: string) => token.toUpperCase()],
  ['the digits of its digest', () => `adst_${'0'.repeat(48)}${'0'.repeat(8)}`],
])('a token with %s is refused', async (words, spoil) => {
  const token = await tokenOf(machine, words.slice(0, 20).trim(), ['administrator'], null);
  expect((await callWith(replica.url, spoil(token))('GET', '/me')).status).toBe(401);
});

test('wrong tokens of this form count towards the limit of a network, and a right one passes beyond it', async () => {
  const from = { 'X-Forwarded-For': '198.51.100.7' };
  const guess = () => apiOf(replica.url)('GET', '/me', undefined, { Authorization: `Bearer adst_${'1'.repeat(56)}`, ...from });
  const statuses = [];
  for (let i = 0; i < 11; i++) statuses.push((await guess()).status);
  expect(statuses).toEqual([...Array<number>(10).fill(401), 429]);
  const right = await tokenOf(machine, 'right', ['viewer'], null);
  expect((await callWith(replica.url, right)('GET', '/me', undefined, from)).status).toBe(200);
});

test('what a token cannot be is refused with every fault', async () => {
  const faultsOf = async (body: object) => {
    const { status, body: answer } = await machine('POST', '/tokens', body);
    return [status, each(answer.errors, 'pointer')];
  };
  expect(await faultsOf({ name: ' x', roles: ['o:wner'], publishers: [] })).toEqual([400, ['/name', '/roles/0', '/publishers']]);
  expect(await faultsOf({ name: 'x', roles: [], publishers: null, admin: true })).toEqual([
    400,
    expect.arrayContaining(['/roles', '/admin']),
  ]);
  expect(await faultsOf({ name: 'x', roles: ['viewer'] })).toEqual([400, ['/publishers']]);
  const late = { name: 'x', roles: ['viewer'], publishers: [2_000_000_000], expires_at: '2020-01-01T00:00:00Z' };
  expect(await faultsOf(late)).toEqual([400, ['/publishers/0', '/expires_at']]);
});

test('where no token is required, a call with an API token may do no more than it says', async () => {
  const stores = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() };
  const open = await startReplica({ env: { ...stores, NODE_ENV: 'development' } });
  const anyone = apiOf(open.url);
  expect((await anyone('GET', '/me')).body).toMatchObject({ name: 'anonymous', roles: ['administrator'] });
  const viewer = callWith(open.url, await tokenOf(anyone, 'viewer', ['viewer'], null));
  expect((await viewer('GET', '/publishers')).status).toBe(200);
  const refused = await viewer('POST', '/publishers', { name: 'p', domain: 'p.example' });
  expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
});
