import knexFactory, { type Knex } from 'knex';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  startOidcProvider,
  type OidcProvider,
  type OidcProviderOptions,
} from '../../testkit/start-oidc-provider.ts';
import { PATIENCE_MS, untilTrue } from '../../testkit/until.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { callWith, MACHINE } from './staff.ts';
import { goToProvider, sentTo, signInAt, TOOL_URL, visitorAt } from './provider-walk.ts';

const PEOPLE = {
  ann: { email: 'ann@gazette.example', email_verified: true, name: 'Ann Ops', groups: ['ad-ops', 'everyone'] },
  bob: {
    email: 'bob@gazette.example',
    email_verified: true,
    name: 'Bob Books',
    groups: ['finance of the gazette', 'ad-ops of the herald'],
  },
  eve: { email: 'eve@gazette.example', email_verified: true, name: 'Eve', groups: ['everyone'] },
  mallory: { email: 'invited@gazette.example', email_verified: false, name: 'Mallory', groups: ['ad-ops'] },
  iris: { email: 'Invited@gazette.example', email_verified: true, name: 'Iris', groups: ['ad-ops'] },
  second: { email: 'ann@gazette.example', email_verified: true, name: 'Another Ann', groups: ['ad-ops'] },
  nell: { email: 'nell@gazette.example', email_verified: true, name: 'Nell', groups: ['night'] },
  nomail: { name: 'No Mail', groups: ['ad-ops'] },
} as const;
const ROLES =
  'night=night desk+never made, ad-ops=trafficker+approver, finance of the gazette=finance@1, ad-ops of the herald=trafficker@2, chiefs=administrator';
const EXPIRED = '/static/sign-in.html?problem=expired';

let provider: OidcProvider;
let replicas: readonly [Replica, Replica];
let knex: Knex;
let env: Record<string, string>;

const start = async (options: Partial<OidcProviderOptions> = {}): Promise<OidcProvider> => {
  const started = await startOidcProvider({ toolUrl: TOOL_URL, people: PEOPLE, clientSecret: CLIENT_SECRET, ...options });
  atEnd(() => started.end('SIGKILL'));
  return started;
};

beforeAll(async () => {
  const databaseUrl = await testDatabase();
  provider = await start();
  env = {
    ...{
      DATABASE_URL: databaseUrl,
      REDIS_URL: await testRedisUrl(),
      ADMIN_TOKEN: MACHINE,
      ACCOUNTS: 'false',
      TOOL_URL,
      TRUST_PROXY_HOPS: '1',
    },
    ...{
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: CLIENT_ID,
      OIDC_CLIENT_SECRET: CLIENT_SECRET,
      OIDC_ROLES: ROLES,
      OIDC_NAME: 'The Gazette',
    },
  };
  replicas = await Promise.all([startReplica({ env }), startReplica({ env })]);
  knex = knexFactory({ client: 'pg', connection: databaseUrl });
});
afterAll(() => knex.destroy());

const visitor = (at = 0) => visitorAt(replicas[at as 0].url);

test('a person signs in at the provider, goes on where they wanted to, and has the roles of the groups on every replica', async () => {
  const ann = visitor();
  expect((await ann.here.call('GET', '/auth/methods')).body).toMatchObject({
    required: true,
    providers: [{ id: 'oidc', name: 'The Gazette' }],
  });
  const answer = await signInAt(ann, { account: 'ann', to: '#/campaigns?sort=name' });
  expect(sentTo(answer)).toEqual([303, '/static/admin.html#/campaigns?sort=name']);
  expect([ann.here.cookies.has('__Host-session'), ann.here.cookies.has('__Host-sign-in')]).toEqual([true, false]);
  const me = (await ann.here.at(replicas[1].url).call('GET', '/api/me')).body;
  expect(me).toMatchObject({
    kind: 'person',
    name: 'Ann Ops',
    email: 'ann@gazette.example',
    roles: ['trafficker', 'approver'],
    publishers: null,
  });
  const [session] = (await ann.here.call('GET', '/api/me/sessions')).body;
  expect(session.method).toBe('oidc:oidc');
});

test('the browser may end on another replica than it began, and no place but one of the trafficking page is gone to', async () => {
  for (const [to, place] of [
    ['https://evil.example/', ''],
    ['//evil.example', ''],
    ['#/a\r\nSet-Cookie: x=y', ''],
    ['#/people', '#/people'],
  ] as const) {
    const ann = visitor();
    const back = await goToProvider(ann, { account: 'ann', to });
    expect(sentTo(await ann.here.at(replicas[1].url).call('GET', back))).toEqual([303, `/static/admin.html${place}`]);
  }
});

test('rights of groups add up where they are for the same records, and never make more than each gives', async () => {
  const bob = visitor();
  await callWith(replicas[0].url, MACHINE)('POST', '/publishers', { name: 'The Gazette', domain: 'gazette.example' });
  expect(sentTo(await signInAt(bob, { account: 'bob' }))).toEqual([303, '/static/admin.html']);
  expect((await bob.here.call('GET', '/api/me')).body).toMatchObject({ roles: ['finance'], publishers: [1] });
});

test('without a group that has roles a person is refused in calm words and not stored', async () => {
  const eve = visitor();
  expect(sentTo(await signInAt(eve, { account: 'eve' }))).toEqual([303, '/static/sign-in.html?problem=no_role']);
  expect([eve.here.cookies.has('__Host-session'), await knex('people').where({ email: PEOPLE.eve.email })]).toEqual([false, []]);
  expect(sentTo(await signInAt(visitor(), { account: 'nomail' }))).toEqual([303, '/static/sign-in.html?problem=no_email']);
});

test('a group gives a role that administrators have made, and nothing by the name of one that does not exist', async () => {
  expect(sentTo(await signInAt(visitor(), { account: 'nell' }))).toEqual([303, '/static/sign-in.html?problem=no_role']);
  const made = await callWith(replicas[0].url, MACHINE)('POST', '/roles', { name: 'night desk', permissions: ['alerts.read'] });
  expect(made.status).toBe(201);
  const nell = visitor();
  expect(sentTo(await signInAt(nell, { account: 'nell' }))).toEqual([303, '/static/admin.html']);
  expect((await nell.here.call('GET', '/api/me')).body).toMatchObject({ roles: ['night desk'], permissions: ['alerts.read'] });
});

test('an invited person is found by the verified address alone, and afterwards by the subject alone', async () => {
  const machine = callWith(replicas[0].url, MACHINE);
  const invited = (
    await machine('POST', '/people', { email: 'invited@gazette.example', name: 'Iris', roles: ['viewer'], publishers: null })
  ).body;
  expect(sentTo(await signInAt(visitor(), { account: 'mallory' }))).toEqual([303, '/static/sign-in.html?problem=email_unverified']);
  const iris = visitor();
  expect(sentTo(await signInAt(iris, { account: 'iris' }))).toEqual([303, '/static/admin.html']);
  expect((await iris.here.call('GET', '/api/me')).body).toMatchObject({ id: invited.id, roles: ['trafficker', 'approver'] });
  expect(sentTo(await signInAt(visitor(), { account: 'second' }))).toEqual([303, '/static/sign-in.html?problem=email_taken']);
  const lines = (await machine('GET', '/audit?entity=person')).body as {
    action: string;
    actor: string;
    entity_id: string;
    after: { roles: string[] };
  }[];
  expect(lines.find((line) => line.entity_id === String(invited.id))).toMatchObject({
    ...{ action: 'update', actor: 'provider:oidc', after: { roles: ['trafficker', 'approver'] } },
  });
});

test('a disabled person is refused, also at the next sign-in', async () => {
  const ann = visitor();
  await signInAt(ann, { account: 'ann' });
  const { id } = (await ann.here.call('GET', '/api/me')).body;
  const machine = callWith(replicas[0].url, MACHINE);
  await machine('PATCH', `/people/${id}`, { disabled: true });
  expect((await ann.here.call('GET', '/api/me')).status).toBe(401);
  expect(sentTo(await signInAt(visitor(), { account: 'ann' }))).toEqual([303, '/static/sign-in.html?problem=disabled']);
  await machine('PATCH', `/people/${id}`, { disabled: false });
  expect(sentTo(await signInAt(visitor(), { account: 'ann' }))).toEqual([303, '/static/admin.html']);
});

test('an answer of the provider is taken once, in the browser that asked for it, within its time', async () => {
  const ann = visitor();
  const back = await goToProvider(ann, { account: 'ann' });
  const kept = ann.here.cookies.get('__Host-sign-in') ?? '';
  expect(sentTo(await visitor().here.call('GET', back))).toEqual([303, EXPIRED]);
  const other = visitor();
  await goToProvider(other, { account: 'eve' });
  expect(sentTo(await other.here.call('GET', back))).toEqual([303, EXPIRED]);
  expect(sentTo(await ann.here.call('GET', back))).toEqual([303, '/static/admin.html']);
  ann.here.cookies.set('__Host-sign-in', kept);
  expect(sentTo(await ann.here.at(replicas[1].url).call('GET', back))).toEqual([303, EXPIRED]);
});

test('a code that was used is refused under another sign-in, and a cancelled sign-in says so', async () => {
  const ann = visitor();
  const used = new URLSearchParams((await goToProvider(ann, { account: 'ann' })).split('?')[1]);
  await ann.here.call('GET', `/auth/callback?${used}`);
  const again = new URLSearchParams((await goToProvider(ann, { account: 'ann' })).split('?')[1]);
  again.set('code', used.get('code') ?? '');
  expect(sentTo(await ann.here.call('GET', `/auth/callback?${again}`))).toEqual([303, EXPIRED]);
  expect(sentTo(await signInAt(visitor(), { account: 'cancel' }))).toEqual([303, '/static/sign-in.html?problem=denied']);
});

test('an answer that names another issuer, or none, is refused (RFC 9207)', async () => {
  for (const issuer of ['https://honest.example', '']) {
    const ann = visitor();
    const query = new URLSearchParams((await goToProvider(ann, { account: 'ann' })).split('?')[1]);
    expect(query.get('iss')).toBe(provider.issuer);
    if (issuer === '') query.delete('iss');
    else query.set('iss', issuer);
    expect(sentTo(await ann.here.call('GET', `/auth/callback?${query}`))).toEqual([303, '/static/sign-in.html?problem=failed']);
  }
});

test('signing out ends the session here, and answers where the one of the provider ends', async () => {
  const ann = visitor();
  await signInAt(ann, { account: 'ann' });
  const out = await ann.here.call('POST', '/auth/logout');
  expect([out.status, (await ann.here.call('GET', '/api/me')).status]).toEqual([200, 401]);
  const page = new URL(out.body.continue_at);
  expect([page.origin, page.searchParams.get('post_logout_redirect_uri')]).toEqual([provider.issuer, `${TOOL_URL}/static/sign-in.html`]);
  const answer = await ann.there.get(provider.issuer)?.call('GET', page.pathname + page.search);
  expect([answer?.status, answer?.body]).toEqual([200, expect.stringContaining('/session/end/confirm')]);
});

test('programs get problems where browsers get pages', async () => {
  const answer = await visitor().here.call('GET', '/auth/callback?code=x&state=y', undefined, { Accept: 'application/json' });
  expect([answer.status, answer.body.code]).toEqual([401, 'sign_in_failed']);
});

test('50 answers of a network are exchanged in a quarter of an hour; those that signed in do not count', async () => {
  const statuses = [];
  for (let i = 0; i < 60; i++)
    statuses.push(sentTo(await visitorAt(replicas[0].url, '198.51.100.77').here.call('GET', '/auth/callback?code=x&state=y'))[1]);
  expect([statuses.indexOf('/static/sign-in.html?problem=too_many'), new Set(statuses).size]).toEqual([50, 2]);
});

test('no code, token or address of a person is in the log', async () => {
  const ann = visitor();
  const back = await goToProvider(ann, { account: 'ann' });
  await ann.here.call('GET', back);
  const [{ id_token: sealed }] = await knex('sessions').whereNotNull('id_token').orderBy('id', 'desc').limit(1);
  expect(sealed).not.toContain('eyJ');
  const logs = replicas[0].logs() + replicas[1].logs();
  for (const secret of [new URLSearchParams(back.split('?')[1]).get('code') ?? '', 'eyJ', 'ann@gazette.example', CLIENT_SECRET])
    expect([secret, logs.includes(secret)]).toEqual([secret, false]);
});

describe('a provider that is down', () => {
  test('before, during and after a sign-in: says so, leaves signed-in people in, and delays neither ads nor readiness', async () => {
    const ann = visitor();
    await signInAt(ann, { account: 'ann' });
    const half = visitor();
    const back = await goToProvider(half, { account: 'ann' });
    await provider.end('SIGKILL');
    expect(sentTo(await half.here.call('GET', back))).toEqual([303, '/static/sign-in.html?problem=provider_unavailable']);

    const late = await startReplica({ env });
    const begun = await visitorAt(late.url).here.call('GET', '/auth/login');
    expect(sentTo(begun)).toEqual([303, '/static/sign-in.html?problem=provider_unavailable']);
    const asked = await visitorAt(late.url).here.call('GET', '/auth/login', undefined, { Accept: 'application/json' });
    expect([asked.status, asked.body.code]).toEqual([503, 'unavailable']);
    expect((await ann.here.at(late.url).call('GET', '/api/me')).body.email).toBe('ann@gazette.example');
    expect((await fetch(`${late.url}/ready`)).status).toBe(200);
    const out = visitorAt(late.url);
    for (const [name, value] of ann.here.cookies) out.here.cookies.set(name, value);
    expect((await out.here.call('POST', '/auth/logout')).body).toEqual({ continue_at: null });

    // It comes back with another key, as after a rotation: replicas that know the old one ask for the new one.
    provider = await start({ port: provider.port });
    expect(sentTo(await signInAt(visitorAt(late.url), { account: 'ann' }))).toEqual([303, '/static/admin.html']);
    const isIn = async (): Promise<boolean> => sentTo(await signInAt(visitor(), { account: 'ann' }))[1] === '/static/admin.html';
    expect(await untilTrue(isIn, PATIENCE_MS, 500)).not.toBe(false);
    expect(await isIn()).toBe(true);
  });

  test('that takes connections and never answers is given up after five seconds', async () => {
    const late = await startReplica({ env });
    process.kill(provider.pid, 'SIGSTOP');
    const started = process.hrtime.bigint();
    const ended = visitorAt(late.url).here.call('GET', '/auth/login');
    expect((await fetch(`${late.url}/ready`)).status).toBe(200);
    expect(sentTo(await ended)).toEqual([303, '/static/sign-in.html?problem=provider_unavailable']);
    process.kill(provider.pid, 'SIGCONT');
    expect(Number(process.hrtime.bigint() - started) / 1e9).toBeLessThan(20);
  });
});
