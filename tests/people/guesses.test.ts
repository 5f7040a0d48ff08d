import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { browserAt } from './browser.ts';

const PASSWORD = 'a long enough pass phrase';
const EMAIL = 'chief@gazette.example';

let replicas: readonly Replica[];

beforeAll(async () => {
  const env = {
    ...{ DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), NODE_ENV: 'production', ADMIN_ENABLED: 'true' },
    ...{ ACCOUNTS: 'true', TOOL_URL: 'https://ads.gazette.example', TRUST_PROXY_HOPS: '1' },
  };
  replicas = [await startReplica({ env }), await startReplica({ env })];
});

test('10,000 wrong passwords from 100 networks: few are compared, and the person still gets in from a known browser', async () => {
  const [one, other] = replicas as readonly [Replica, Replica];
  const [secret] = await one.logged(/adsl_[0-9a-f]{56}/);
  const own = browserAt(one.url, '192.0.2.1');
  expect((await own.call('POST', '/auth/password', { secret, email: EMAIL, name: 'Chief', password: PASSWORD })).status).toBe(200);
  await own.call('POST', '/auth/logout');

  const counts = new Map<number, number>();
  const guess = async (i: number): Promise<void> => {
    const { url } = replicas[i % 2] as Replica;
    const browser = browserAt(url, `198.18.${i % 100}.${1 + (i % 200)}`);
    const { status } = await browser.call('POST', '/auth/sign_in', { email: EMAIL, password: `guess number ${i} of many` });
    counts.set(status, (counts.get(status) ?? 0) + 1);
  };
  for (let i = 0; i < 10_000; i += 50) await Promise.all(Array.from({ length: 50 }, (_, n) => guess(i + n)));
  expect([...counts.keys()].sort()).toEqual([401, 429]);
  expect(counts.get(401)).toBeLessThanOrEqual(10);

  // Whoever knows the password is not let in from an unknown browser meanwhile, and is from the known one, on any replica.
  const stranger = await browserAt(other.url, '192.0.2.99').call('POST', '/auth/sign_in', { email: EMAIL, password: PASSWORD });
  expect([stranger.status, Number(stranger.headers.get('retry-after'))]).toEqual([429, 900]);
  expect((await own.at(other.url).call('POST', '/auth/sign_in', { email: EMAIL, password: PASSWORD })).status).toBe(200);
  const metrics = await (await fetch(`${one.url}/metrics`)).text();
  expect(metrics).toMatch(/adserver_sign_ins_total\{method="password",outcome="too_many"\} [1-9]/);
});

test('of one network 50 attempts are compared, whatever accounts they name', async () => {
  const [one] = replicas as readonly [Replica];
  const statuses = [];
  for (let i = 0; i < 60; i++)
    statuses.push(
      (await browserAt(one.url, '198.51.100.7').call('POST', '/auth/sign_in', { email: `a${i}@b.example`, password: 'x' })).status,
    );
  expect(statuses).toEqual([...Array<number>(50).fill(401), ...Array<number>(10).fill(429)]);
});
