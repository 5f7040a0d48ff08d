import { createLedgerKeys } from '../../src/ledger/ledger-keys.ts';
import { createRedisClient } from '../../src/redis/redis-client.ts';
import { createAttempts } from '../../src/people/attempts.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { apiOf, each } from '../api/api-client.ts';
import type { ApiCall } from '../api/api-client.ts';

let stores: { readonly DATABASE_URL: string; readonly REDIS_URL: string };
let gated: Replica;
let url: string;
let api: ApiCall;
const [FIRST, SECOND, BARE] = ['first', 'second', 'bare'].map((name) => `${name}-token-of-more-than-32-characters`) as [
  string,
  string,
  string,
];
const publisher = { name: 'p', domain: 'p.example' };

beforeAll(async () => {
  stores = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() };
  const env = {
    ...stores,
    NODE_ENV: 'production',
    ADMIN_ENABLED: 'true',
    ADMIN_TOKEN: `alice:${FIRST},bob:${SECOND},${BARE}`,
    // The network of each test is the one that it names in X-Forwarded-For.
    TRUST_PROXY_HOPS: '1',
  };
  gated = await startReplica({ env });
  ({ url } = gated);
  api = apiOf(url);
});

test.each([
  ['no token', {}],
  ['an unknown token', { Authorization: 'Bearer unknown-token' }],
  ['a token with its name', { Authorization: `Bearer alice:${FIRST}` }],
  ['another scheme', { Authorization: `Basic ${FIRST}` }],
])('%s is refused, for reads and for writes', async (_, headers) => {
  for (const [method, path] of [
    ['GET', '/publishers'],
    ['POST', '/publishers'],
    ['GET', '/openapi.json'],
    ['GET', '/nothing'],
  ] as const) {
    const answer = await api(method, path, method === 'POST' ? publisher : undefined, headers);
    expect([answer.status, answer.body.code]).toEqual([401, 'admin_unauthorized']);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  }
});

test('the audit trail contains the name of the token', async () => {
  for (const token of [FIRST, SECOND, BARE])
    expect((await api('POST', '/publishers', publisher, { Authorization: `Bearer ${token}` })).status).toBe(201);
  const { body } = await api('GET', '/audit', undefined, { Authorization: `Bearer ${BARE}` });
  expect(each(body, 'actor')).toEqual(['admin', 'bob', 'alice']);
});

test.each([
  ['Sec-Fetch-Site: cross-site', { 'Sec-Fetch-Site': 'cross-site' }],
  ['a foreign Origin', { Origin: 'https://evil.example' }],
])('a read with %s is refused, before its token is looked at', async (_, headers) => {
  const answer = await api('GET', '/publishers', undefined, headers);
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([403, null]);
});

test.each([
  ['Sec-Fetch-Site: cross-site', { 'Sec-Fetch-Site': 'cross-site' }, 403],
  ['Sec-Fetch-Site: same-site', { 'Sec-Fetch-Site': 'same-site' }, 403],
  ['a foreign Origin', { Origin: 'https://evil.example' }, 403],
  ['an opaque Origin', { Origin: 'null' }, 403],
  ['Sec-Fetch-Site: same-origin', { 'Sec-Fetch-Site': 'same-origin' }, 201],
])('a write with %s is answered %d', async (_, headers, status) => {
  const sent = { Authorization: `Bearer ${FIRST}`, ...headers };
  expect((await api('POST', '/publishers', publisher, sent as Record<string, string>)).status).toBe(status);
});

test('a write from the service’s own pages is accepted', async () => {
  expect((await api('POST', '/publishers', publisher, { Authorization: `Bearer ${FIRST}`, Origin: url })).status).toBe(201);
});

test('with ADMIN_ENABLED=false neither the API nor its page exists', async () => {
  const closed = await startReplica({ env: { ...stores, ADMIN_ENABLED: 'false' } });
  expect((await apiOf(closed.url)('GET', '/publishers')).status).toBe(404);
  expect((await fetch(`${closed.url}/static/api/`)).status).toBe(404);
});

test.each([
  ['without a way to sign in', {}, 'The trafficking tool is closed: neither ADMIN_TOKEN nor ACCOUNTS nor OIDC_ISSUER is set'],
  [
    'with a short one',
    { ADMIN_TOKEN: `ann:${'x'.repeat(32)},bob:${'x'.repeat(31)}` },
    'The trafficking tool is closed: ADMIN_TOKEN has tokens of fewer than 32 characters (bob)',
  ],
])('in production %s the API and its pages stay closed and say why, and so does one warning at start', async (_, token, words) => {
  const closed = await startReplica({ env: { ...stores, NODE_ENV: 'production', ADMIN_ENABLED: 'true', ...token } });
  for (const path of ['/api/publishers', '/api/nothing', '/static/admin.html', '/static/api/']) {
    const answer = await fetch(closed.url + path, { headers: { Authorization: `Bearer ${'x'.repeat(32)}` } });
    expect([path, answer.status, await answer.json()]).toMatchObject([path, 403, { code: 'forbidden', detail: `${words}.` }]);
  }
  await closed.logged(/The trafficking tool is closed/);
  const warnings = closed
    .logs()
    .split('\n')
    .filter((line) => line.includes('The trafficking tool is closed'));
  expect(warnings).toEqual([expect.stringMatching(/"level":"warn"/)]);
});

describe('wrong tokens', () => {
  let second: Replica;
  beforeAll(async () => {
    second = await startReplica({
      env: { ...stores, NODE_ENV: 'production', ADMIN_ENABLED: 'true', ADMIN_TOKEN: FIRST, TRUST_PROXY_HOPS: '1' },
    });
  });
  const call = (replica: Replica, from: string, token: string) =>
    apiOf(replica.url)('GET', '/publishers', undefined, { Authorization: `Bearer ${token}`, 'X-Forwarded-For': from });

  test('after ten within a minute further ones of the network get 429 from every replica; a right token passes', async () => {
    const guesses = [];
    for (let i = 0; i < 12; i++) guesses.push(await call(i % 2 === 0 ? gated : second, '198.51.100.7', `guess-${i}`));
    expect(guesses.map(({ status }) => status)).toEqual([...Array<number>(10).fill(401), 429, 429]);
    expect(guesses[11]!.headers.get('retry-after')).toBe('60');
    expect(guesses[11]!.body).toMatchObject({ code: 'too_many_requests' });
    expect((await call(second, '198.51.100.99', 'guess')).status).toBe(429);
    // The client writes what is left of the entry that the proxy appends.
    expect((await call(gated, '203.0.113.1, 198.51.100.7', 'guess')).status).toBe(429);
    expect((await call(second, '198.51.101.7', 'guess')).status).toBe(401);
    expect((await call(second, '198.51.100.7', FIRST)).status).toBe(200);
  });

  test('many at once are not counted less', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => call(gated, '2001:db8:1::7', `guess-${i}`)));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
  });

  test('they are logged with the network, never with the address or the token, and counted', async () => {
    await call(gated, '192.0.2.77', 'a-guess-that-no-log-may-contain');
    await gated.logged(/"network":"192\.0\.2\.0\/24"/);
    const lines = gated.logs().split('\n');
    expect(lines.filter((line) => line.includes('"network":"192.0.2.0/24"'))).toEqual([expect.stringContaining('"reason":"wrong_token"')]);
    expect(lines.filter((line) => line.includes('"network":"2001:db8:1::/48"')).length).toBeGreaterThan(0);
    expect(gated.logs()).not.toMatch(/192\.0\.2\.77|a-guess-that|guess-1/);
    const metrics = await (await fetch(`${gated.url}/metrics`)).text();
    expect(metrics).toMatch(/adserver_admin_refused_total\{reason="wrong_token"\} [1-9]/);
    expect(metrics).toMatch(/adserver_admin_refused_total\{reason="too_many_wrong_tokens"\} [1-9]/);
  });

  test('without Redis each replica counts its own', async () => {
    // Nothing listens there.
    const redis = createRedisClient({ urls: ['redis://127.0.0.1:1'], commandTimeoutMs: 100, name: 'away' });
    redis.on('error', () => undefined);
    for (const countersUp of [() => false, () => true]) {
      const wrong = createAttempts({ redis, keys: createLedgerKeys(1), countersUp });
      const counts = [];
      for (let i = 0; i < 3; i++) counts.push(await wrong.count('token', 'n'));
      expect([...counts, await wrong.count('token', 'other')]).toEqual([1, 2, 3, 1]);
    }
    redis.disconnect();
  });
});
