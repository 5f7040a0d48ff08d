import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { apiOf, each } from './api-client.ts';
import type { ApiCall } from './api-client.ts';

let gated: Replica;
let url: string;
let api: ApiCall;
const publisher = { name: 'p', domain: 'p.example' };

beforeAll(async () => {
  const env = {
    DATABASE_URL: await testDatabase(),
    REDIS_URL: await testRedisUrl(),
    NODE_ENV: 'production',
    ADMIN_ENABLED: 'true',
    ADMIN_TOKEN: 'alice:first-token,bob:second-token,bare',
  };
  gated = await startReplica({ env });
  ({ url } = gated);
  api = apiOf(url);
});

test.each([
  ['no token', {}],
  ['an unknown token', { Authorization: 'Bearer unknown-token' }],
  ['a token with its name', { Authorization: 'Bearer alice:first-token' }],
  ['another scheme', { Authorization: 'Basic first-token' }],
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
  for (const token of ['first-token', 'second-token', 'bare'])
    expect((await api('POST', '/publishers', publisher, { Authorization: `Bearer ${token}` })).status).toBe(201);
  const { body } = await api('GET', '/audit', undefined, { Authorization: 'Bearer bare' });
  expect(each(body, 'actor')).toEqual(['admin', 'bob', 'alice']);
});

test.each([
  ['Sec-Fetch-Site: cross-site', { 'Sec-Fetch-Site': 'cross-site' }, 403],
  ['Sec-Fetch-Site: same-site', { 'Sec-Fetch-Site': 'same-site' }, 403],
  ['a foreign Origin', { Origin: 'https://evil.example' }, 403],
  ['an opaque Origin', { Origin: 'null' }, 403],
  ['Sec-Fetch-Site: same-origin', { 'Sec-Fetch-Site': 'same-origin' }, 201],
])('a write with %s is answered %d', async (_, headers, status) => {
  const sent = { Authorization: 'Bearer first-token', ...headers };
  expect((await api('POST', '/publishers', publisher, sent as Record<string, string>)).status).toBe(status);
});

test('a write from the service’s own pages is accepted', async () => {
  expect((await api('POST', '/publishers', publisher, { Authorization: 'Bearer first-token', Origin: url })).status).toBe(201);
});

test('with ADMIN_ENABLED=false neither the API nor its page exists', async () => {
  const env = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), ADMIN_ENABLED: 'false' };
  const closed = await startReplica({ env });
  expect((await apiOf(closed.url)('GET', '/publishers')).status).toBe(404);
  expect((await fetch(`${closed.url}/static/docs/`)).status).toBe(404);
});

test('in production without a token the API is open, and the replica logs one warning at start', async () => {
  const env = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), NODE_ENV: 'production', ADMIN_ENABLED: 'true' };
  const open = await startReplica({ env });
  expect((await apiOf(open.url)('GET', '/publishers')).status).toBe(200);
  const warnings = ({ logs }: Replica) =>
    logs()
      .split('\n')
      .filter((line) => line.includes('The trafficking API is open'));
  expect(warnings(open)).toEqual([expect.stringContaining('"level":"warn"')]);
  expect(warnings(gated)).toEqual([]);
});
