import { setTimeout as sleep } from 'node:timers/promises';
import { bookPublishers } from '../../testkit/book.ts';
import { startBalancer } from '../../testkit/start-balancer.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { withClient } from '../../testkit/databases.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startRedisServer } from './start-redis-server.ts';
import { startTraffic } from './traffic.ts';

const OLD = 'default:the secret that every replica has begun with';
const NEW = '2026b:the secret that every replica will end with';

/** The balancer asks every 200 ms, later on a busy machine, and must have seen that a replica drains before its connections end. */
const DRAIN_TIME = '2s';

/** The settings of each rollout: docs/configuration.md, "Rotating the token secret". */
const ROLLOUTS = [`${OLD},${NEW}`, `${NEW},${OLD}`];

test('three replicas, each restarted twice while the token secret is rotated, fail no request at 200 a second', async () => {
  const databaseUrl = await testDatabase();
  const env = { NODE_ENV: 'production', DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), DRAIN_TIME };
  const publishers = await bookPublishers(databaseUrl, 3);
  const start = (secrets: string, port?: number) => startReplica({ env: { ...env, TOKEN_SECRETS: secrets }, port });
  const replicas = await Promise.all(Array.from({ length: 3 }, () => start(OLD)));
  const balancer = await startBalancer(replicas.map(({ port }) => port));
  atEnd(() => balancer.end('SIGKILL'));
  await sleep(600);
  const traffic = startTraffic(balancer.url, publishers, 200);

  for (const secrets of ROLLOUTS) {
    for (const [i, { port, stop }] of replicas.entries()) {
      await stop();
      replicas[i] = await start(secrets, port);
      await sleep(300);
    }
  }
  const { requests, failed, impressions, unfilledAtMs } = await traffic.stop();
  await balancer.end('SIGKILL');
  await Promise.all(replicas.map((replica) => replica.stop()));

  expect(failed).toEqual([]);
  expect([...unfilledAtMs]).toEqual([]);
  expect(requests).toBeGreaterThan(2_000);
  // Every answered impression is stored once, whichever replica had read it from the stream when it was stopped.
  const stored = await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from events where kind = 'impression'`);
    return rows[0]!.count;
  });
  expect(stored).toBe(impressions);
});

test('outside production, ten replicas start in parallel on an empty database and migrate it once', async () => {
  const databaseUrl = await testDatabase();
  await withClient(databaseUrl, (client) => client.query('drop schema public cascade; create schema public'));
  // A database that is migrated anew is another installation, and needs another Redis.
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: (await startRedisServer()).url };
  const replicas = await Promise.all(Array.from({ length: 10 }, () => startReplica({ env })));
  const found = await withClient(databaseUrl, async (client) => ({
    migrations: (await client.query('select name from knex_migrations group by name having count(*) > 1')).rows,
    instances: (await client.query('select 1 from instance')).rows.length,
  }));
  expect(found).toEqual({ migrations: [], instances: 1 });
  await Promise.all(replicas.map((replica) => replica.stop()));
});
