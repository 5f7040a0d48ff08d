import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../src/embedded/free-port.ts';
import { rightsOfGroups, groupsIn, type GroupRights } from '../../src/people/oidc/group-rights.ts';
import { readProviders } from '../../src/people/oidc/read-providers.ts';
import { startOidcProvider, CLIENT_ID, CLIENT_SECRET } from '../../testkit/start-oidc-provider.ts';
import { eventually } from '../../testkit/until.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { goToProvider, pathOf, sentTo, signInAt, TOOL_URL, visitorAt } from './provider-walk.ts';

const VARIABLES = {
  ...{ issuer: 'https://id.gazette.example', clientId: 'ads', clientSecret: undefined, name: undefined, groupsClaim: undefined },
  roles: undefined,
};

describe('the settings', () => {
  const read = (more: object, production = true) =>
    readProviders({ provider: { ...VARIABLES, ...more }, providersFile: undefined, production });

  test('of one provider: its name is that of its host, and groups have roles, of all publishers or of some', async () => {
    const roles = ' ad-ops=trafficker+approver , Sales=DE=trafficker@1+2,chiefs = administrator';
    expect(await read({ roles })).toEqual([
      {
        ...{ id: 'oidc', name: 'id.gazette.example', issuer: 'https://id.gazette.example', callback: '/auth/callback' },
        ...{ clientId: 'ads', clientSecret: undefined, groupsClaim: 'groups' },
        roles: [
          { group: 'ad-ops', roles: ['trafficker', 'approver'], publishers: null, advertisers: null },
          { group: 'Sales=DE', roles: ['trafficker'], publishers: [1, 2], advertisers: null },
          { group: 'chiefs', roles: ['administrator'], publishers: null, advertisers: null },
        ],
      },
    ]);
  });

  test.each([
    ['a role whose name no role can have', { roles: 'ad-ops=wiz:ard' }, /OIDC_ROLES: 0 must .*accepted: group=role/],
    ['a group without roles', { roles: 'ad-ops' }, /OIDC_ROLES: roles must have at least one value/],
    ['a publisher that is no id', { roles: 'ad-ops=viewer@gazette' }, /OIDC_ROLES: 0 must be a whole number/],
    ['no groups at all', { roles: ',' }, /OIDC_ROLES: .*must have at least one value/],
    ['plain http', { issuer: 'http://127.0.0.1:8080' }, /OIDC_ISSUER: must be the https address/],
    ['no address', { issuer: 'gazette' }, /OIDC_ISSUER: must be the https address/],
  ])('are refused at start: %s', async (_, more, words) => {
    await expect(read(more)).rejects.toThrow(words);
  });

  test('plain http is for this machine, outside production', async () => {
    expect(await read({ issuer: 'http://127.0.0.1:8080' }, false)).toHaveLength(1);
    await expect(read({ issuer: 'http://id.gazette.example' }, false)).rejects.toThrow(/OIDC_ISSUER/);
  });

  test('of several providers are in a file, whose faults are told together, and never its text', async () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'providers-')), 'providers.json');
    const of = (text: string) => {
      writeFileSync(file, text);
      return readProviders({ provider: undefined, providersFile: file, production: true });
    };
    const staff = { id: 'staff', name: 'Staff', issuer: 'https://id.gazette.example', client_id: 'ads', client_secret: 'hush' };
    expect(await of(JSON.stringify([staff]))).toMatchObject([{ id: 'staff', callback: '/auth/callback/staff', groupsClaim: 'groups' }]);
    await expect(of(JSON.stringify([staff, { ...staff, name: '' }]))).rejects.toThrow(/\/1\/name must not be empty/);
    await expect(of(JSON.stringify([staff, staff]))).rejects.toThrow(/\/1\/id is that of another provider[\s\S]*\/1\/issuer is that/);
    await expect(of('[{"client_secret": "hush"')).rejects.toThrow(/OIDC_PROVIDERS: is not JSON$/);
    await expect(readProviders({ provider: undefined, providersFile: `${file}.none`, production: true })).rejects.toThrow(
      /cannot be read \(ENOENT\)/,
    );
  });
});

describe('the rights of several groups', () => {
  const of = (group: string, roles: GroupRights['roles'], publishers: GroupRights['publishers']): GroupRights => ({
    ...{ group, roles, publishers, advertisers: null },
  });
  const known = [
    of('a', ['trafficker'], [1]),
    of('b', ['trafficker'], [2]),
    of('c', ['finance'], [2]),
    of('d', ['approver'], [1]),
    of('e', ['viewer'], null),
  ];
  const rightsOf = (...groups: string[]) => rightsOfGroups(known, groups);

  test.each([
    ['the same roles for several publishers', ['b', 'a'], { roles: ['trafficker'], publishers: [1, 2] }],
    ['several roles for the same publisher', ['a', 'd'], { roles: ['trafficker', 'approver'], publishers: [1] }],
    ['other roles for another publisher: those that the settings name first', ['c', 'a'], { roles: ['trafficker'], publishers: [1] }],
    ['fewer rights for all publishers do not widen more rights for some', ['a', 'e'], { roles: ['trafficker'], publishers: [1] }],
  ])('%s', (_, groups, rights) => {
    expect(rightsOf(...groups)).toEqual({ ...rights, advertisers: null });
  });

  test('none without a known group', () => expect(rightsOf('A', 'unknown')).toBeUndefined());

  test('are read from a claim by its name, or by the way to it', () => {
    expect(groupsIn({ groups: ['a', 5, 'b'] }, 'groups')).toEqual(['a', 'b']);
    expect(groupsIn({ groups: 'a' }, 'groups')).toEqual(['a']);
    expect(groupsIn({ 'https://gazette.example/groups': ['a'] }, 'https://gazette.example/groups')).toEqual(['a']);
    expect(groupsIn({ realm_access: { roles: ['a'] } }, 'realm_access.roles')).toEqual(['a']);
    expect(groupsIn({}, 'constructor.name')).toEqual([]);
  });
});

test('with several providers each has its way back and its people, and a session of one is ended by it alone', async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const backchannelUrl = `${url}/auth/backchannel_logout`;
  const person = (email: string) => ({ ann: { email, email_verified: true, name: 'Ann', groups: ['ad-ops'] } });
  // The same subject at both: two people.
  const [staff, agency] = await Promise.all([
    startOidcProvider({ toolUrl: TOOL_URL, callback: '/auth/callback/staff', people: person('ann@gazette.example'), backchannelUrl }),
    startOidcProvider({
      toolUrl: TOOL_URL,
      callback: '/auth/callback/agency',
      people: { ...person('ann@agency.example'), late: {} },
      clientSecret: CLIENT_SECRET,
      leanTokens: true,
      backchannelUrl,
      lateAccount: 'late',
    }),
  ]);
  for (const provider of [staff, agency]) atEnd(() => provider.end('SIGKILL'));
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'providers-')), 'providers.json');
  const roles = [{ group: 'ad-ops', roles: ['viewer'] }];
  writeFileSync(
    file,
    JSON.stringify([
      { id: 'staff', name: 'Staff', issuer: staff.issuer, client_id: CLIENT_ID, roles },
      { id: 'agency', name: 'Agencies', issuer: agency.issuer, client_id: CLIENT_ID, client_secret: CLIENT_SECRET, roles },
    ]),
  );
  const env = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), ACCOUNTS: 'false', TOOL_URL, OIDC_PROVIDERS: file };
  await startReplica({ env, port });

  const choosing = visitorAt(url);
  expect((await choosing.here.call('GET', '/auth/methods')).body.providers).toEqual([
    { id: 'staff', name: 'Staff' },
    { id: 'agency', name: 'Agencies' },
  ]);
  expect(sentTo(await choosing.here.call('GET', '/auth/login?to=%23%2Fcampaigns'))).toEqual([
    303,
    '/static/sign-in.html?to=%23%2Fcampaigns',
  ]);
  expect(sentTo(await choosing.here.call('GET', '/auth/login?provider=other'))).toEqual([
    303,
    '/static/sign-in.html?problem=unknown_provider',
  ]);

  const [ann, other] = [visitorAt(url), visitorAt(url)];
  expect(sentTo(await signInAt(ann, { account: 'ann', provider: 'staff' }))).toEqual([303, '/static/admin.html']);
  expect(sentTo(await signInAt(other, { account: 'ann', provider: 'agency' }))).toEqual([303, '/static/admin.html']);
  const emails = [await ann.here.call('GET', '/api/me'), await other.here.call('GET', '/api/me')].map(({ body }) => body.email);
  expect(emails).toEqual(['ann@gazette.example', 'ann@agency.example']);

  // The answer of one provider at the way back of the other one, and a code that has expired.
  const mixed = visitorAt(url);
  const back = (await goToProvider(mixed, { account: 'ann', provider: 'staff' })).replace('/callback/staff', '/callback/agency');
  expect(sentTo(await mixed.here.call('GET', back))).toEqual([303, '/static/sign-in.html?problem=failed']);
  const slow = visitorAt(url);
  const late = await goToProvider(slow, { account: 'late', provider: 'agency' });
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(sentTo(await slow.here.call('GET', late))).toEqual([303, '/static/sign-in.html?problem=expired']);

  // Signing out at the provider ends the session here, by its logout token.
  const again = visitorAt(url);
  again.there.set(staff.issuer, ann.there.get(staff.issuer)!);
  await signInAt(again, { account: 'ann', provider: 'staff' });
  const page = (await again.here.call('POST', '/auth/logout')).body.continue_at as string;
  const there = ann.there.get(staff.issuer)!;
  const form = (await there.call('GET', pathOf(page))).body as string;
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(form)?.[1] ?? '';
  const confirmed = await fetch(`${staff.issuer}/session/end/confirm`, {
    ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams({ xsrf, logout: 'yes' }) },
    headers: { Cookie: Array.from(there.cookies, ([name, value]) => `${name}=${value}`).join('; ') },
  });
  expect([confirmed.status, confirmed.headers.get('location')]).toEqual([303, `${TOOL_URL}/static/sign-in.html`]);

  await eventually(async () => expect((await ann.here.call('GET', '/api/me')).status).toBe(401));
  expect((await other.here.call('GET', '/api/me')).status).toBe(200);
});
