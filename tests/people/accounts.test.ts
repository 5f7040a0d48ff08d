import knexFactory, { type Knex } from 'knex';
import { PATIENCE_MS, untilTrue } from '../../testkit/until.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { browserAt, type TestBrowser } from './browser.ts';

const PASSWORD = 'a long enough pass phrase';
const TOOL_URL = 'https://ads.gazette.example';

let first: Replica;
let second: Replica;
let knex: Knex;
let env: Record<string, string>;
let admin: TestBrowser;

const secretIn = (text: string): string => /adsl_[0-9a-f]{56}/.exec(text)?.[0] ?? '';

/** Invites a person, who chooses a password. */
const join = async (email: string, rights: object, browser = browserAt(first.url)): Promise<{ id: number; browser: TestBrowser }> => {
  const invited = await admin.call('POST', '/api/people', { email, name: 'Someone', publishers: null, ...rights });
  expect([invited.status, invited.body.mailed]).toEqual([201, false]);
  const secret = secretIn(invited.body.link);
  const accepted = await browser.call('POST', '/auth/password', { secret, password: PASSWORD });
  expect([accepted.status, accepted.body]).toEqual([200, { signed_in: true }]);
  return { id: invited.body.id, browser };
};

beforeAll(async () => {
  const databaseUrl = await testDatabase();
  env = {
    ...{ DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), NODE_ENV: 'production', ADMIN_ENABLED: 'true' },
    ...{ ACCOUNTS: 'true', TOOL_URL, TRUST_PROXY_HOPS: '1' },
  };
  [first, second] = await Promise.all([startReplica({ env }), startReplica({ env })]);
  knex = knexFactory({ client: 'pg', connection: databaseUrl });
});
afterAll(() => knex.destroy());

test('of two replicas that start at once, one prints the link of the first administrator, which works once', async () => {
  await untilTrue(() => secretIn(first.logs() + second.logs()) !== '', PATIENCE_MS, 20);
  const printed = `${first.logs()}${second.logs()}`.match(/\S*adsl_[0-9a-f]{56}/g);
  expect(printed).toEqual([expect.stringMatching(`^${TOOL_URL}/static/sign-in.html#adsl_`)]);
  const secret = secretIn(printed?.[0] ?? '');
  admin = browserAt(second.url);
  expect((await admin.call('POST', '/auth/link', { secret })).body).toEqual({ purpose: 'first', email: null, name: null });
  const wanted = { secret, email: 'chief@gazette.example', name: 'Chief', password: PASSWORD };
  const answers = await Promise.all([admin, browserAt(first.url)].map((browser) => browser.call('POST', '/auth/password', wanted)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
  admin = browserAt(second.url);
  expect((await admin.call('POST', '/auth/sign_in', { email: 'Chief@Gazette.example', password: PASSWORD })).status).toBe(200);
  expect((await admin.call('GET', '/api/me')).body).toMatchObject({ kind: 'person', email: 'chief@gazette.example', name: 'Chief' });
  expect((await admin.call('POST', '/auth/link', { secret })).status).toBe(401);
});

test('the cookie of a session cannot be read by scripts, is sent over https alone and by no other site, and names its host', async () => {
  const answer = await browserAt(first.url).call('POST', '/auth/sign_in', { email: 'chief@gazette.example', password: PASSWORD });
  const [session] = answer.headers.getSetCookie();
  expect(session).toMatch(/^__Host-session=adss_[0-9a-f]{56}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=1209600$/);
});

test('an invited person chooses a password, has the roles of the invitation, and is named by the history', async () => {
  const { browser } = await join('editor@gazette.example', { roles: ['trafficker', 'administrator'] });
  expect((await browser.call('GET', '/api/me')).body).toMatchObject({ roles: ['trafficker', 'administrator'], publishers: null });
  expect((await browser.call('POST', '/api/publishers', { name: 'p', domain: 'p.example' })).status).toBe(201);
  const [line] = (await browser.call('GET', '/api/audit?entity=publisher')).body;
  expect(line.actor).toBe('editor@gazette.example');
});

test('a revoked session is refused by every replica from then on', async () => {
  const { id, browser } = await join('revoked@gazette.example', { roles: ['viewer'] });
  const elsewhere = browser.at(second.url);
  expect((await elsewhere.call('GET', '/api/campaigns')).status).toBe(200);
  const [session] = (await browser.call('GET', '/api/me/sessions')).body;
  expect(session).toMatchObject({
    method: 'link',
    network: '203.0.113.0/24',
    device: 'Firefox on Linux',
    user_agent: expect.stringContaining('Firefox'),
  });
  expect((await browser.call('DELETE', `/api/me/sessions/${session.id}`)).status).toBe(204);
  const refused = await elsewhere.call('GET', '/api/campaigns');
  expect([refused.status, refused.body.code, elsewhere.cookies.has('__Host-session')]).toEqual([401, 'admin_unauthorized', false]);

  await browser.call('POST', '/auth/sign_in', { email: 'revoked@gazette.example', password: PASSWORD });
  expect((await elsewhere.call('GET', '/api/campaigns')).status).toBe(200);
  expect((await admin.call('DELETE', `/api/people/${id}/sessions`)).status).toBe(204);
  expect((await elsewhere.call('GET', '/api/campaigns')).status).toBe(401);
});

test('a disabled person is out at once and cannot sign in; the last administrator cannot be disabled', async () => {
  const { id, browser } = await join('leaver@gazette.example', { roles: ['viewer'] });
  expect((await admin.call('PATCH', `/api/people/${id}`, { disabled: true })).body.disabled_at).toEqual(expect.any(String));
  expect((await browser.call('GET', '/api/me')).status).toBe(401);
  const attempt = await browser.call('POST', '/auth/sign_in', { email: 'leaver@gazette.example', password: PASSWORD });
  expect([attempt.status, attempt.body.code]).toEqual([401, 'sign_in_failed']);

  const people = (await admin.call('GET', '/api/people')).body as { id: number; roles: string[]; disabled_at: string | null }[];
  const chiefs = people.filter((one) => one.roles.includes('administrator') && one.disabled_at === null);
  for (const chief of chiefs.slice(1)) await admin.call('PATCH', `/api/people/${chief.id}`, { roles: ['viewer'] });
  for (const change of [{ disabled: true }, { roles: ['viewer'] }, { publishers: [1] }]) {
    const refused = await admin.call('PATCH', `/api/people/${chiefs[0]!.id}`, change);
    expect([change, refused.status, refused.body.code]).toEqual([change, 409, 'conflict']);
  }
});

test('a change by cookie must come from a page of this service, with the header that browsers send', async () => {
  const { browser } = await join('careful@gazette.example', { roles: ['administrator'] });
  const publisher = { name: 'p', domain: 'p.example' };
  const statuses = [];
  for (const headers of [
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { 'Sec-Fetch-Site': '' },
    { 'Sec-Fetch-Site': '', Origin: 'https://evil.example' },
    { 'Sec-Fetch-Site': '', Origin: TOOL_URL },
  ])
    statuses.push((await browser.call('POST', '/api/publishers', publisher, headers)).status);
  expect(statuses).toEqual([403, 403, 403, 403, 201]);
});

test('an unknown address, a wrong password and a disabled account are refused in the same words', async () => {
  const { id } = await join('gone@gazette.example', { roles: ['viewer'] });
  await admin.call('PATCH', `/api/people/${id}`, { disabled: true });
  const bodies = [];
  for (const [email, password] of [
    ['nobody@gazette.example', PASSWORD],
    ['chief@gazette.example', `${PASSWORD}!`],
    ['gone@gazette.example', PASSWORD],
  ]) {
    const { status, body } = await browserAt(first.url, '198.51.100.9').call('POST', '/auth/sign_in', { email, password });
    bodies.push({ status, ...body, request_id: '' });
  }
  expect(bodies[0]).toMatchObject({ status: 401, code: 'sign_in_failed' });
  expect(bodies).toEqual([bodies[0], bodies[0], bodies[0]]);
});

test('a link ends with its use, with a newer one, and after its time; the sessions of the person end with a reset', async () => {
  const { id, browser } = await join('forgetful@gazette.example', { roles: ['viewer'] });
  const [older, newer] = [
    secretIn((await admin.call('POST', `/api/people/${id}/link`)).body.link),
    secretIn((await admin.call('POST', `/api/people/${id}/link`)).body.link),
  ];
  const visitor = browserAt(first.url);
  const used = async (secret: string) => (await visitor.call('POST', '/auth/password', { secret, password: `${PASSWORD} 2` })).status;
  expect([await used(older), await used('adsl_short'), await used(newer), await used(newer)]).toEqual([401, 401, 200, 401]);
  expect((await browser.call('GET', '/api/me')).status).toBe(401);
  expect((await visitor.call('GET', '/api/me')).body.email).toBe('forgetful@gazette.example');

  const late = secretIn((await admin.call('POST', `/api/people/${id}/link`)).body.link);
  await knex('person_links').update({ expires_at: new Date(Date.now() - 1000) });
  expect(await used(late)).toBe(401);
});

test.each([
  ['a short one', 'fourteen chars', /must NOT have fewer than 15|at least 15/],
  ['one of few characters', 'aaaaaaaabbbbbbbbcc', /fewer than five different/],
  ['the address', 'weak@gazette.example', /little more than the e-mail address/],
])('a password is refused: %s', async (_, password, words) => {
  const invited = await admin.call('POST', '/api/people', {
    ...{ email: `weak@gazette.example`, name: 'W', roles: ['viewer'], publishers: null },
  });
  const id = invited.body.id ?? (await knex('people').where({ email: 'weak@gazette.example' }).first('id')).id;
  const secret = secretIn((await admin.call('POST', `/api/people/${id}/link`)).body.link);
  const { status, body } = await browserAt(first.url).call('POST', '/auth/password', { secret, password });
  expect([status, body.errors]).toEqual([400, [{ pointer: '/password', detail: expect.stringMatching(words) }]]);
});

test('a person changes the own password, which ends the other sessions; guesses of the current one are limited', async () => {
  const { browser } = await join('changer@gazette.example', { roles: ['viewer'] });
  const other = browserAt(second.url);
  await other.call('POST', '/auth/sign_in', { email: 'changer@gazette.example', password: PASSWORD });
  const wrong = await browser.call('PUT', '/api/me/password', { current: 'not it', password: `${PASSWORD} new` });
  expect([wrong.status, wrong.body.errors]).toEqual([400, [{ pointer: '/current', detail: 'is not your password' }]]);
  expect((await browser.call('PUT', '/api/me/password', { current: PASSWORD, password: `${PASSWORD} new` })).status).toBe(204);
  expect([(await browser.call('GET', '/api/me')).status, (await other.call('GET', '/api/me')).status]).toEqual([200, 401]);
});

test('sessions end when they are not used, and at their time', async () => {
  const { browser } = await join('idle@gazette.example', { roles: ['viewer'] });
  const [{ id }] = (await browser.call('GET', '/api/me/sessions')).body;
  await knex('sessions')
    .where({ id })
    .update({ last_used_at: new Date(Date.now() - 11 * 3_600_000) });
  expect((await browser.call('GET', '/api/me')).status).toBe(200);
  await knex('sessions')
    .where({ id })
    .update({ last_used_at: new Date(Date.now() - 13 * 3_600_000) });
  expect((await browser.call('GET', '/api/me')).status).toBe(401);
  await browser.call('POST', '/auth/sign_in', { email: 'idle@gazette.example', password: PASSWORD });
  await knex('sessions')
    .update({ expires_at: new Date(Date.now() - 1000) })
    .where({ method: 'password' })
    .andWhereRaw(`person_id = (select id from people where email = 'idle@gazette.example')`);
  expect((await browser.call('GET', '/api/me')).status).toBe(401);
});

test('no password, session, link or address of a person is in the log, and neither secret is in the database', async () => {
  const { browser } = await join('quiet@gazette.example', { roles: ['viewer'] });
  const session = browser.cookies.get('__Host-session') ?? '';
  await browserAt(first.url).call('POST', '/auth/sign_in', { email: 'quiet@gazette.example', password: 'wrong but logged nowhere' });
  const logs = first.logs() + second.logs();
  const stored = JSON.stringify([await knex('people'), await knex('sessions'), await knex('person_links'), await knex('audit')]);
  for (const secret of [session, PASSWORD, 'wrong but logged nowhere'])
    expect([secret, logs.includes(secret), stored.includes(secret)]).toEqual([secret, false, false]);
  expect(logs.includes('quiet@gazette.example')).toBe(false);
});
