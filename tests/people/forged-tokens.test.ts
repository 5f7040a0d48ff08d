import type { JWTPayload } from 'jose';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startForgingIssuer, type ForgingIssuer } from './forging-issuer.ts';
import { sentTo, TOOL_URL, visitorAt, type Visitor } from './provider-walk.ts';

const CLIENT = 'ad-server';
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

let issuer: ForgingIssuer;
let replicas: readonly [Replica, Replica];

beforeAll(async () => {
  issuer = await startForgingIssuer(CLIENT);
  const env = {
    ...{ DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), ACCOUNTS: 'false', TOOL_URL, TRUST_PROXY_HOPS: '1' },
    ...{ OIDC_ISSUER: issuer.issuer, OIDC_CLIENT_ID: CLIENT, OIDC_ROLES: 'ad-ops=administrator' },
  };
  replicas = await Promise.all([startReplica({ env }), startReplica({ env })]);
});
beforeEach(() => {
  issuer.tokenOf = (claims) => issuer.sign(claims);
  issuer.respondWith = undefined;
});

/** Signs in with the token that the issuer makes of the right claims. */
const signIn = async (visitor: Visitor = visitorAt(replicas[0].url)): Promise<readonly [number, string]> => {
  const begun = new URL((await visitor.here.call('GET', '/auth/login')).headers.get('location') ?? '');
  const { code } = (await (await fetch(begun)).json()) as { readonly code: string };
  const query = new URLSearchParams({ code, state: begun.searchParams.get('state') ?? '' });
  return sentTo(await visitor.here.call('GET', `/auth/callback?${query}`));
};
const IN = [303, '/static/admin.html'];
const FAILED = [303, '/static/sign-in.html?problem=failed'];

test('the right token signs in', async () => {
  expect(await signIn()).toEqual(IN);
});

const unsigned = (claims: JWTPayload): string =>
  `${[{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;

test.each<readonly [string, (claims: JWTPayload) => string | Promise<string>]>([
  ['for another client', (claims) => issuer.sign({ ...claims, aud: 'another client' })],
  ['for two clients, given to another one', (claims) => issuer.sign({ ...claims, aud: [CLIENT, 'another'], azp: 'another' })],
  ['of another sign-in', (claims) => issuer.sign({ ...claims, nonce: 'of another sign-in' })],
  ['of no sign-in', ({ nonce: _, ...claims }) => issuer.sign(claims)],
  ['of another issuer', (claims) => issuer.sign({ ...claims, iss: 'https://honest.example' })],
  ['that has expired', (claims) => issuer.sign({ ...claims, iat: 1_000_000, exp: 1_000_300 })],
  ['without an end', ({ exp: _, ...claims }) => issuer.sign(claims)],
  ['of nobody', ({ sub: _, ...claims }) => issuer.sign(claims)],
  ['signed by another key', (claims) => issuer.forge(claims)],
  ['with a key id that does not exist', (claims) => issuer.sign(claims, { kid: 'no key' })],
  ['without a signature', unsigned],
  ['that is no token', () => 'no token'],
])('a token is refused: %s', async (_, make) => {
  issuer.tokenOf = async (claims) => make(claims);
  const visitor = visitorAt(replicas[0].url);
  expect([await signIn(visitor), visitor.here.cookies.has('__Host-session')]).toEqual([FAILED, false]);
});

test.each([
  ['is refused', { status: 400, body: { error: 'invalid_client' } }, 'failed'],
  ['fails', { status: 503, body: { error: 'server_error' } }, 'provider_unavailable'],
  ['fails without JSON that the standard knows', { status: 502, body: {} }, 'provider_unavailable'],
  ['brings no ID token', { status: 200, body: { access_token: 'a', token_type: 'Bearer' } }, 'failed'],
])('the exchange of the code %s', async (_, response, problem) => {
  issuer.respondWith = response;
  expect(await signIn()).toEqual([303, `/static/sign-in.html?problem=${problem}`]);
});

describe('back-channel logout', () => {
  let jti = 0;
  const claimsOf = (more: Readonly<Record<string, unknown>> = {}): JWTPayload => ({
    ...{ iss: issuer.issuer, aud: CLIENT, iat: Math.floor(Date.now() / 1000), jti: `token ${++jti}`, sub: 'ann', sid: 'session 1' },
    ...{ events: { [EVENT]: {} }, ...more },
  });
  const post = async (token: string): Promise<number> => {
    const answer = await fetch(`${replicas[1].url}/auth/backchannel_logout`, {
      method: 'POST',
      body: new URLSearchParams({ logout_token: token }),
    });
    return answer.status;
  };
  const signedIn = async (sid: string): Promise<Visitor> => {
    issuer.tokenOf = (claims) => issuer.sign({ ...claims, sid });
    const visitor = visitorAt(replicas[0].url);
    expect(await signIn(visitor)).toEqual(IN);
    return visitor;
  };
  const statusOf = async ({ here }: Visitor): Promise<number> => (await here.call('GET', '/api/me')).status;

  test('ends the named session alone, or all that the provider began, on every replica', async () => {
    const [first, second] = [await signedIn('session 1'), await signedIn('session 2')];
    expect(await post(await issuer.sign(claimsOf({ sid: 'session 1' })))).toBe(200);
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
    const third = await signedIn('session 3');
    expect(await post(await issuer.sign(claimsOf({ sid: undefined })))).toBe(200);
    expect([await statusOf(second), await statusOf(third)]).toEqual([401, 401]);
  });

  test('a token that has been used is refused, also by another replica at the same time', async () => {
    const token = await issuer.sign(claimsOf());
    expect((await Promise.all([post(token), post(token)])).sort()).toEqual([200, 400]);
  });

  test.each<readonly [string, () => string | Promise<string>]>([
    ['for another client', () => issuer.sign(claimsOf({ aud: 'another client' }))],
    ['of an unknown issuer', () => issuer.sign(claimsOf({ iss: 'https://honest.example' }))],
    ['signed by another key', () => issuer.forge(claimsOf())],
    ['without a signature', () => unsigned(claimsOf())],
    ['with a nonce, as an ID token', () => issuer.sign(claimsOf({ nonce: 'x' }))],
    ['without the event', () => issuer.sign(claimsOf({ events: {} }))],
    ['without any event, as an ID token', () => issuer.sign(claimsOf({ events: undefined }))],
    ['without an id', () => issuer.sign(claimsOf({ jti: undefined }))],
    ['that names no one', () => issuer.sign(claimsOf({ sub: undefined, sid: undefined }))],
    ['of an hour ago', () => issuer.sign(claimsOf({ iat: Math.floor(Date.now() / 1000) - 3_600 }))],
    ['of tomorrow', () => issuer.sign(claimsOf({ iat: Math.floor(Date.now() / 1000) + 86_400 }))],
    ['without a time', () => issuer.sign(claimsOf({ iat: undefined }))],
    ['that is none', () => 'no token'],
    ['that is missing', () => ''],
  ])('a logout token is refused, and ends nothing: %s', async (_, make) => {
    const visitor = await signedIn('session 1');
    expect([await post(await make()), await statusOf(visitor)]).toEqual([400, 200]);
  });
});
