import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrateLatest, migrateRollback } from '../../src/catalog/postgres/migrate.ts';
import { book, bookPublishers, withKnex } from '../../testkit/book.ts';
import { createPage } from '../../testkit/create-page.ts';
import { withClient } from '../../testkit/databases.ts';
import { startFaultProxy } from '../../testkit/start-fault-proxy.ts';
import { startProcess, startServer } from '../../testkit/start-process.ts';
import { eventually } from '../../testkit/until.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { startRedisServer, type RedisServer } from './start-redis-server.ts';
import { readMetric } from '../../testkit/read-metrics.ts';

let databaseUrl: string;
let redis: RedisServer;
let env: Record<string, string>;
let running: Replica;

beforeAll(async () => {
  [databaseUrl, redis] = await Promise.all([testDatabase(), startRedisServer()]);
  env = { DATABASE_URL: databaseUrl, REDIS_URL: redis.url, LEDGER_SHARDS: '16' };
  running = await startReplica({ env });
});

const command = [process.execPath, path.resolve(__dirname, '../../dist/main.js')];
const envOf = (changes: Record<string, string>) => ({ TOKEN_SECRET: 'x'.repeat(40), DRAIN_TIME: '100ms', ...env, ...changes });
const start = (changes: Record<string, string>) =>
  startServer({ name: 'the replica', command, env: envOf(changes), readyPath: '/health' }).then((server) => {
    atEnd(() => server.end('SIGKILL'));
    return server;
  });
/** Of a replica that Redis refuses. It may end before a request reaches it. */
const endOf = async (changes: Record<string, string>): Promise<readonly [ending: number | string | undefined, output: string]> => {
  const replica = await startProcess({ command, env: { HOST: '127.0.0.1', PORT: '0', ...envOf(changes) } });
  atEnd(() => replica.end('SIGKILL'));
  await replica.ended;
  return [replica.ending(), replica.output()];
};

test('a replica of another installation ends with 1, says why and what to do, and leaves Redis to the first', async () => {
  const other = await testDatabase();
  await withClient(other, (client) => client.query('update instance set installation_id = gen_random_uuid()'));
  const ids = await Promise.all(
    [databaseUrl, other].map((url) =>
      withClient(url, (client) => client.query<{ id: string }>('select installation_id as id from instance')).then(
        ({ rows }) => rows[0]?.id,
      ),
    ),
  );
  const [ending, output] = await endOf({ DATABASE_URL: other });
  expect(ending).toBe(1);
  expect(output).toContain(
    `Redis holds the counters of installation ${ids[0]}, LEDGER_SHARDS=16, account layout 5; this replica is of installation ${ids[1]}, LEDGER_SHARDS=16, account layout 5.`,
  );
  expect(output).toContain('REDIS_URL=redis://host:6379/1');
  expect([await readMetric(running, 'adserver_redis_up'), await readMetric(running, 'adserver_redis_contested')]).toEqual([1, 0]);
});

test('a replica with another LEDGER_SHARDS ends with 1, also when Redis was away at its start; before that it serves without Redis', async () => {
  expect(await endOf({ LEDGER_SHARDS: '8' })).toEqual([1, expect.stringContaining('LEDGER_SHARDS=8, account layout 5. It stops')]);

  const [booking] = await bookPublishers(databaseUrl, 1);
  const proxy = await startFaultProxy(redis.url);
  atEnd(() => proxy.close());
  proxy.set({ kind: 'reset' });
  const server = await start({ LEDGER_SHARDS: '32', REDIS_URL: proxy.url });
  const page = createPage(server.url);
  atEnd(() => page.close());
  await eventually(async () => expect((await page.ask(booking!, 'reader')).bids).toHaveLength(1));
  proxy.set({ kind: 'pass' });
  await server.ended;
  expect([server.ending(), server.output()]).toEqual([1, expect.stringContaining('LEDGER_SHARDS=32')]);
  expect(await redis.client.keys('ads:{31}:*')).toEqual([]);
});

test('installations in two databases of one Redis serve side by side', async () => {
  const other = await testDatabase();
  const second = await startReplica({ env: { ...env, DATABASE_URL: other, REDIS_URL: `${redis.url}/2` } });
  const sites = await Promise.all(
    (
      [
        [databaseUrl, running],
        [other, second],
      ] as const
    ).map(async ([url, replica]) => {
      const booking = await withKnex(url, (knex) => book(knex, { lineItems: [{ daily_impression_cap: 100_000 }] }));
      const page = createPage(replica.url);
      atEnd(() => page.close());
      await eventually(async () => expect((await page.ask(booking, 'reader')).bids).toHaveLength(1));
      return { booking, page };
    }),
  );
  // Each replica looks at the content of Redis once a second.
  for (const until = Date.now() + 4_000; Date.now() < until; await sleep(10))
    for (const [i, { booking, page }] of sites.entries())
      expect([i, (await page.ask(booking, 'reader')).bids]).toEqual([i, [expect.anything()]]);
  await second.stop();
});

test('running replicas go on after Redis was emptied, and refuse others as before', async () => {
  await redis.client.flushall();
  await eventually(async () => expect(await redis.client.exists('ads:{0}:claim')).toBe(1));
  expect((await endOf({ LEDGER_SHARDS: '8' }))[0]).toBe(1);
  expect(await readMetric(running, 'adserver_redis_up')).toBe(1);

  await redis.client.set('ads:{0}:claim', 'another installation');
  await eventually(async () => expect(await readMetric(running, 'adserver_redis_contested')).toBe(1));
  expect(await readMetric(running, 'adserver_redis_up')).toBe(1);
  await redis.client.del('ads:{0}:claim');
});

test('replicas may run with different TOKEN_TTL, which is logged and counted', async () => {
  const other = await startReplica({ env: { ...env, TOKEN_TTL: '5m' } });
  await eventually(async () => expect(await readMetric(other, 'adserver_token_ttls')).toBe(2));
  await other.logged(/"Replicas run with different TOKEN_TTL","seconds":\[300,1800\]/);
  await other.stop();
});

test('/version names the build, and the commit when it is known', async () => {
  const server = await start({ COMMIT: 'ABCDEF0123' });
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(await (await fetch(`${server.url}/version`)).json()).toEqual({ version, commit: 'abcdef0123', node: process.versions.node });
  expect((await fetch(`${server.url}/version`, { method: 'POST' })).status).toBe(405);
  await server.stop();
});

test('in production a replica is not ready on a database that is not migrated, says why, and starts when it is', async () => {
  const unmigrated = await testDatabase();
  await migrateRollback(unmigrated);
  const server = await start({ NODE_ENV: 'production', DATABASE_URL: unmigrated, REDIS_URL: `${redis.url}/1` });
  const listening = new RegExp(`"level":"info","message":"Listening","port":${server.port},"schema":"\\d{14}_\\w+",.*"version":"\\d+\\.`);
  // What a process writes comes by another way than its answers.
  await eventually(() => expect(server.output()).toMatch(listening));
  await eventually(async () => {
    const answer = await fetch(`${server.url}/ready`);
    expect([answer.status, ((await answer.json()) as { detail: string }).detail]).toEqual([
      503,
      expect.stringMatching(/^Not ready: the database is not migrated \(\d{14}_.*\.js\)\.$/),
    ]);
  });
  await eventually(() => expect(server.output()).toContain('Not ready: the database is not migrated ('));
  await migrateLatest(unmigrated);
  await eventually(async () => expect((await fetch(`${server.url}/ready`)).status).toBe(200));
});
