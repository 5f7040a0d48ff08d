import { generateKeyPairSync } from 'node:crypto';
import knexFactory, { type Knex } from 'knex';
import { Secret, TOTP } from 'otpauth';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { browserAt, type PageAnswer, type TestBrowser } from './browser.ts';
import { readQr } from './read-qr.ts';
import { callWith, MACHINE } from './staff.ts';
import { virtualAuthenticator, type VirtualAuthenticator } from './virtual-authenticator.ts';

const PASSWORD = 'a long enough pass phrase';
const TOOL_URL = 'https://ads.gazette.example';

let replicas: readonly [Replica, Replica];
let knex: Knex;
let env: Record<string, string>;

beforeAll(async () => {
  const databaseUrl = await testDatabase();
  env = {
    ...{ DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), NODE_ENV: 'production', ADMIN_ENABLED: 'true', ACCOUNTS: 'true' },
    ...{ TOOL_URL, TRUST_PROXY_HOPS: '1', ADMIN_TOKEN: MACHINE, SEAL_KEYS: 'one:a key that seals the secrets of the tests' },
  };
  replicas = await Promise.all([startReplica({ env }), startReplica({ env })]);
  knex = knexFactory({ client: 'pg', connection: databaseUrl });
});
afterAll(() => knex.destroy());

let people = 0;
/** A person with a password, signed in, each in a network of their own. */
const person = async () => {
  const email = `person${++people}@gazette.example`;
  const invited = await callWith(replicas[0].url, MACHINE)('POST', '/people', {
    email,
    name: 'Someone',
    roles: ['viewer'],
    publishers: null,
  });
  const secret = /adsl_[0-9a-f]{56}/.exec(invited.body.link)?.[0];
  const browser = browserAt(replicas[0].url, `203.0.${people}.9`);
  expect((await browser.call('POST', '/auth/password', { secret, password: PASSWORD })).status).toBe(200);
  const signIn = (code = '', from: TestBrowser = browserAt(replicas[1].url, `198.51.${people}.9`)): Promise<PageAnswer> =>
    from.call('POST', '/auth/sign_in', { email, password: PASSWORD, code });
  return { id: invited.body.id as number, email, browser, signIn };
};

/** @param steps from now, of 30 s each */
const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });

const withApp = async () => {
  const one = await person();
  const begun = await one.browser.call('POST', '/api/me/totp', { password: PASSWORD });
  expect([begun.status, begun.body.uri]).toEqual([201, expect.stringContaining(encodeURIComponent(one.email))]);
  expect(readQr(begun.body.qr)).toBe(begun.body.uri);
  const { secret, setup } = begun.body as { secret: string; setup: string };
  // The oldest code that is taken, so that a test has two newer ones; it is too old if a step ends on its way.
  const confirm = () => one.browser.call('PUT', '/api/me/totp', { setup, code: codeOf(secret, -1) });
  const first = await confirm();
  const confirmed = first.status === 200 ? first : await confirm();
  expect(confirmed.status).toBe(200);
  return { ...one, secret, setup, recovery: confirmed.body.recovery_codes as string[] };
};

describe('an authenticator app', () => {
  test('is asked for after the right password alone, and each of its codes is taken once, over all replicas', async () => {
    const { signIn, secret } = await withApp();
    const asked = await signIn();
    expect([asked.status, asked.body.code]).toEqual([401, 'code_required']);
    const wrong = await browserAt(replicas[0].url).call('POST', '/auth/sign_in', {
      email: 'person1@gazette.example',
      password: `${PASSWORD}!`,
    });
    expect(wrong.body.code).toBe('sign_in_failed');
    expect((await signIn('000000')).body.code).toBe('sign_in_failed');
    const code = codeOf(secret);
    const answers = await Promise.all(replicas.map(({ url }) => signIn(code, browserAt(url, '198.51.100.1'))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect((await signIn(codeOf(secret, -1))).status).toBe(401);
    expect((await signIn(codeOf(secret, 1))).status).toBe(200);
  });

  test('is set up by the password and a code of it, by its owner alone', async () => {
    const [ann, bob] = [await person(), await person()];
    const refused = await ann.browser.call('POST', '/api/me/totp', { password: 'not it' });
    expect([refused.status, refused.body.errors]).toEqual([400, [{ pointer: '/password', detail: 'is not your password' }]]);
    const { secret, setup } = (await ann.browser.call('POST', '/api/me/totp', { password: PASSWORD })).body as {
      secret: string;
      setup: string;
    };
    expect((await bob.browser.call('PUT', '/api/me/totp', { setup, code: codeOf(secret) })).status).toBe(400);
    expect((await ann.browser.call('PUT', '/api/me/totp', { setup, code: '000000' })).status).toBe(400);
    expect((await ann.browser.call('PUT', '/api/me/totp', { setup: setup.slice(0, -8), code: codeOf(secret) })).status).toBe(400);
    expect((await ann.signIn()).status).toBe(200);
    expect((await ann.browser.call('GET', '/api/me/factors')).body).toEqual({ totp: false, recovery_codes: 0, passkeys: [] });
  });

  test('has ten recovery codes, each for one sign-in; new ones end them', async () => {
    const { browser, signIn, recovery } = await withApp();
    expect([recovery.length, new Set(recovery).size, recovery[0]]).toEqual([
      10,
      10,
      expect.stringMatching(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/),
    ]);
    const [first = '', second = '', third = ''] = recovery;
    expect((await signIn(first.toLowerCase().replaceAll('-', ' '))).status).toBe(200);
    expect((await signIn(first)).status).toBe(401);
    const answers = await Promise.all([signIn(second), signIn(second)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect((await browser.call('GET', '/api/me/factors')).body.recovery_codes).toBe(8);
    const renewed = await browser.call('POST', '/api/me/recovery_codes', { password: PASSWORD });
    expect([renewed.status, (await signIn(third)).status, (await signIn(renewed.body.recovery_codes[9])).status]).toEqual([201, 401, 200]);
  });

  test('is removed by its owner with the password, or by an administrator, which the history records', async () => {
    const { id, email, browser, signIn } = await withApp();
    expect((await browser.call('POST', '/api/me/totp/remove', { password: 'not it' })).status).toBe(400);
    expect((await browser.call('POST', '/api/me/totp/remove', { password: PASSWORD })).status).toBe(204);
    expect((await signIn()).status).toBe(200);
    const lost = await withApp();
    const machine = callWith(replicas[0].url, MACHINE);
    expect((await machine('DELETE', `/people/${lost.id}/factors`)).status).toBe(204);
    expect((await lost.signIn()).status).toBe(200);
    expect((await machine('DELETE', '/people/999999/factors')).status).toBe(404);
    const lines = (await machine('GET', '/audit?entity=second_factor')).body as { entity_id: string; action: string; actor: string }[];
    const actorsOf = (whose: number) =>
      lines.filter((line) => line.entity_id === String(whose) && line.action === 'delete').map(({ actor }) => actor);
    expect([actorsOf(id), actorsOf(lost.id)]).toEqual([[email], ['admin']]);
  });

  test('a link that resets the password does not get past it', async () => {
    const { id, secret } = await withApp();
    const link = (await callWith(replicas[0].url, MACHINE)('POST', `/people/${id}/link`)).body.link as string;
    const visitor = browserAt(replicas[0].url, '192.0.2.7');
    const used = await visitor.call('POST', '/auth/password', { secret: /adsl_[0-9a-f]{56}/.exec(link)?.[0], password: PASSWORD });
    expect([used.body, visitor.cookies.has('__Host-session')]).toEqual([{ signed_in: false }, false]);
    expect(secret).not.toBe('');
  });

  test('neither its secret nor a recovery code is in the database or the log', async () => {
    const { secret, recovery } = await withApp();
    const stored = JSON.stringify([await knex('people'), await knex('recovery_codes'), await knex('audit')]);
    const logs = replicas[0].logs() + replicas[1].logs();
    for (const word of [secret, recovery[0] ?? '', recovery[0]?.replaceAll('-', '') ?? ''])
      expect([stored.includes(word), logs.includes(word)]).toEqual([false, false]);
  });

  test('cannot be set up without a key that seals its secret', async () => {
    const bare = await startReplica({ env: { ...env, SEAL_KEYS: '' } });
    const { browser } = await person();
    const answer = await browser.at(bare.url).call('POST', '/api/me/totp', { password: PASSWORD });
    expect([answer.status, answer.body.detail]).toEqual([409, expect.stringContaining('SEAL_KEYS')]);
  });
});

describe('a passkey', () => {
  const add = async (browser: TestBrowser, passkey: VirtualAuthenticator): Promise<PageAnswer> => {
    const { challenge } = (await browser.call('POST', '/api/me/passkeys/options', { password: PASSWORD })).body as { challenge: string };
    return browser.call('POST', '/api/me/passkeys', { name: 'Laptop', credential: passkey.make(challenge) });
  };
  const ask = async (browser: TestBrowser): Promise<string> =>
    (await browser.call('POST', '/auth/passkey/options')).body.challenge as string;
  const signInBy = async (passkey: VirtualAuthenticator, browser = browserAt(replicas[1].url, '192.0.2.50')): Promise<number> =>
    (await browser.call('POST', '/auth/passkey', { credential: passkey.sign(await ask(browser)) })).status;
  const withPasskey = async () => {
    const one = await person();
    const passkey = virtualAuthenticator(TOOL_URL);
    const added = await add(one.browser, passkey);
    expect([added.status, added.body]).toEqual([201, expect.objectContaining({ name: 'Laptop', last_used_at: null })]);
    return { ...one, passkey, passkeyId: added.body.id as number };
  };

  test('signs in without address and password, begun at one replica and ended at another', async () => {
    const { email, browser, passkey } = await withPasskey();
    const visitor = browserAt(replicas[0].url, '192.0.2.51');
    const challenge = await ask(visitor);
    const answer = await visitor.at(replicas[1].url).call('POST', '/auth/passkey', { credential: passkey.sign(challenge) });
    expect([answer.status, (await visitor.call('GET', '/api/me')).body.email, visitor.cookies.has('__Host-passkey')]).toEqual([
      200,
      email,
      false,
    ]);
    const [session] = (await visitor.call('GET', '/api/me/sessions')).body;
    expect(session.method).toBe('passkey');
    expect((await browser.call('GET', '/api/me/factors')).body.passkeys).toEqual([
      expect.objectContaining({ last_used_at: expect.any(String) }),
    ]);
  });

  test('is enough for a person who has an authenticator app', async () => {
    const { browser } = await withApp();
    const passkey = virtualAuthenticator(TOOL_URL);
    expect((await add(browser, passkey)).status).toBe(201);
    expect(await signInBy(passkey)).toBe(200);
  });

  test.each<readonly [string, (passkey: VirtualAuthenticator) => void]>([
    ['of a page of another site', (passkey) => (passkey.origin = 'https://ads.gazette.example.evil.example')],
    ['for another host', (passkey) => (passkey.rpId = 'evil.example')],
    ['without a finger or PIN', (passkey) => (passkey.verifiesUser = false)],
    ['signed by another key', (passkey) => (passkey.key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)],
    ['of a copy whose counter is behind', (passkey) => (passkey.counter = 1)],
  ])('an answer is refused: %s', async (_, spoil) => {
    const { passkey } = await withPasskey();
    passkey.counter = 5;
    expect(await signInBy(passkey)).toBe(200);
    spoil(passkey);
    expect(await signInBy(passkey)).toBe(401);
  });

  test('an answer is taken once, in the browser that was asked', async () => {
    const { passkey } = await withPasskey();
    const [one, other] = [browserAt(replicas[0].url, '192.0.2.52'), browserAt(replicas[1].url, '192.0.2.52')];
    const credential = passkey.sign(await ask(one));
    await ask(other);
    expect((await other.call('POST', '/auth/passkey', { credential })).status).toBe(401);
    const cookie = one.cookies.get('__Host-passkey') ?? '';
    expect((await one.call('POST', '/auth/passkey', { credential })).status).toBe(200);
    one.cookies.set('__Host-passkey', cookie);
    expect((await one.at(replicas[1].url).call('POST', '/auth/passkey', { credential })).status).toBe(401);
    expect((await browserAt(replicas[0].url).call('POST', '/auth/passkey', { credential })).status).toBe(401);
  });

  test('is made by the owner with the password, of the challenge that they were asked, once', async () => {
    const [ann, bob] = [await person(), await person()];
    expect((await ann.browser.call('POST', '/api/me/passkeys/options', { password: 'not it' })).status).toBe(400);
    const { challenge } = (await ann.browser.call('POST', '/api/me/passkeys/options', { password: PASSWORD })).body as {
      challenge: string;
    };
    const body = { name: 'Laptop', credential: virtualAuthenticator(TOOL_URL).make(challenge) };
    bob.browser.cookies.set('__Host-passkey', ann.browser.cookies.get('__Host-passkey') ?? '');
    expect((await bob.browser.call('POST', '/api/me/passkeys', body)).status).toBe(400);
    const elsewhere = virtualAuthenticator('https://evil.example');
    expect((await add(bob.browser, elsewhere)).status).toBe(400);
    expect((await ann.browser.call('POST', '/api/me/passkeys', body)).status).toBe(201);
    expect((await ann.browser.call('POST', '/api/me/passkeys', body)).status).toBe(400);
  });

  test('ends with its removal, by its owner or an administrator, and with the person', async () => {
    const [one, two, three] = [await withPasskey(), await withPasskey(), await withPasskey()];
    expect((await two.browser.call('DELETE', `/api/me/passkeys/${one.passkeyId}`)).status).toBe(404);
    const path = `/api/me/passkeys/${one.passkeyId}`;
    expect((await two.browser.call('PATCH', path, { name: 'Mine' })).status).toBe(404);
    expect((await one.browser.call('PATCH', path, { name: ' ' })).status).toBe(400);
    const renamed = await one.browser.call('PATCH', path, { name: 'Work laptop' });
    expect([renamed.status, renamed.body.name]).toEqual([200, 'Work laptop']);
    expect((await one.browser.call('DELETE', path)).status).toBe(204);
    const machine = callWith(replicas[0].url, MACHINE);
    await machine('DELETE', `/people/${two.id}/factors`);
    await machine('PATCH', `/people/${three.id}`, { disabled: true });
    for (const { passkey } of [one, two, three]) expect(await signInBy(passkey)).toBe(401);
  });
});
