import { once } from 'node:events';
import { openSync } from 'node:fs';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { bookPublishers } from '../../testkit/book.ts';
import { startFaultProxy } from '../../testkit/start-fault-proxy.ts';
import { startServer } from '../../testkit/start-process.ts';
import { eventually } from '../../testkit/until.ts';
import { atEnd } from '../setup/at-end.ts';
import { LEDGER_SHARDS, startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { withClient } from '../../testkit/databases.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startRedisServer } from './start-redis-server.ts';
import { startTraffic } from './traffic.ts';
import { readMetric } from '../../testkit/read-metrics.ts';

let databaseUrl: string;
let env: Record<string, string>;
/** The slowest check, so it runs in parallel with the others. */
let slowClients: Promise<readonly number[]>;

beforeAll(async () => {
  databaseUrl = await testDatabase();
  env = { NODE_ENV: 'production', DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), LEDGER_SHARDS: String(LEDGER_SHARDS) };
  // A replica of the same stores would take a share of the events that the others count.
  const stores = { DATABASE_URL: await testDatabase(), REDIS_URL: (await startRedisServer()).url };
  slowClients = bearWithSlowClients(stores);
});

const exitOf = async (replica: Replica): Promise<{ readonly code: 'zero' | 'other'; readonly seconds: number }> => {
  const begun = performance.now();
  const code = await replica.stop().then(
    () => 'zero' as const,
    () => 'other' as const,
  );
  return { code, seconds: (performance.now() - begun) / 1000 };
};

test('after SIGTERM a replica reports not ready, serves for its drain time, closes connections, finishes open requests and exits with 0', async () => {
  const [publisher] = await bookPublishers(databaseUrl, 1);
  const replica = await startReplica({ env: { ...env, DRAIN_TIME: '3s' } });
  const agent = new Agent({ keepAlive: true });
  const before = await answerOf(request(`${replica.url}/health`, { agent }).end());
  expect([before.statusCode, before.headers.connection]).toEqual([200, 'keep-alive']);

  // The first half of an ad request arrives before the signal, the rest after the listener has closed.
  const slow = request(`${replica.url}/ad`, { method: 'POST', headers: { 'x-api-key': publisher!.apiKey } });
  const body = JSON.stringify({
    id: 'r',
    imp: [{ id: '1', tagid: publisher!.placementId }],
    user: { id: 'u' },
    ext: { publisher_id: publisher!.publisherId },
  });
  slow.write(body.slice(0, 20));
  const slowAnswer = answerOf(slow);
  await sleep(50);
  const exit = exitOf(replica);

  const statusOf = async (route: string): Promise<number> => (await fetch(`${replica.url}${route}`)).status;
  await eventually(async () => expect(await statusOf('/ready')).toBe(503));
  const health = await answerOf(request(`${replica.url}/health`, { agent }).end());
  expect([health.statusCode, health.headers.connection]).toEqual([200, 'close']);
  await eventually(() => expect(statusOf('/health')).rejects.toThrow('fetch failed'));
  slow.end(body.slice(20));
  expect((await slowAnswer).statusCode).toBe(200);
  expect(await exit).toMatchObject({ code: 'zero' });
});

test('after a replica has exited, its counted events are in Postgres and its consumer is removed', async () => {
  const publishers = await bookPublishers(await reset(), 1);
  const replica = await startReplica({ env });
  const traffic = startTraffic(replica.url, publishers, 300);
  await sleep(800);
  const { failed, impressions } = await traffic.stop();
  expect(failed).toEqual([]);
  expect(impressions).toBeGreaterThan(50);
  await replica.stop();

  const stored = await withClient(databaseUrl, (client) =>
    client.query(`select count(*)::int as count from events where kind = 'impression'`),
  );
  expect(stored.rows).toEqual([{ count: impressions }]);
  const redis = new Redis(env['REDIS_URL']!);
  atEnd(() => redis.disconnect());
  const consumers = (await redis.xinfo('CONSUMERS', `ads:{${publishers[0]!.publisherId % LEDGER_SHARDS}}:events`, 'postgres')) as unknown[];
  expect(consumers).toEqual([]);
});

test('a replica whose stores hang exits with 0 within its time limits', async () => {
  const [postgres, redis] = [await startFaultProxy(databaseUrl), await startFaultProxy(env['REDIS_URL']!)];
  for (const proxy of [postgres, redis]) atEnd(() => proxy.close());
  const replica = await startReplica({ env: { ...env, DATABASE_URL: postgres.url, REDIS_URL: redis.url } });
  for (const proxy of [postgres, redis]) proxy.set({ kind: 'blackhole' });
  await sleep(300);
  const { code, seconds } = await exitOf(replica);
  expect(code).toBe('zero');
  expect(seconds).toBeLessThan(10);
});

test('with a full disk behind standard output a replica serves, drains and exits with 0', async () => {
  const service = await startServer({
    name: 'the replica',
    command: [process.execPath, path.resolve(__dirname, '../../dist/main.js')],
    env: { ...env, DRAIN_TIME: '100ms', LOG_LEVEL: 'debug', TOKEN_SECRET: 'x'.repeat(40) },
    outputFd: openSync('/dev/full', 'w'),
    readyPath: '/ready',
  });
  atEnd(() => service.end('SIGKILL'));
  expect(await readMetric(service, 'adserver_logs_dropped_total')).toBeGreaterThan(0);
  await service.end('SIGTERM');
  expect(service.ending()).toBe(0);
});

test('disconnects a client that does not finish its headers or its body', async () => {
  for (const seconds of await slowClients) expect(seconds).toBeLessThan(18);
});

/** Seconds until a replica disconnects two clients that stop in the middle of a request. */
const bearWithSlowClients = async (stores: Record<string, string>): Promise<readonly number[]> => {
  const replica = await startReplica({ env: { ...env, ...stores } });
  const begun = performance.now();
  const cutAfterS = (text: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(replica.url).port), '127.0.0.1', () => socket.write(text));
      socket
        .on('error', reject)
        .on('close', () => resolve((performance.now() - begun) / 1000))
        .resume();
    });
  const cut = await Promise.all([
    cutAfterS('POST /ad HTTP/1.1\r\nHost: x\r\nX-Slow'),
    cutAfterS('POST /ad HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"id"'),
  ]);
  await replica.stop();
  return cut;
};

const answerOf = async (sent: ReturnType<typeof request>): Promise<IncomingMessage> => {
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'end');
  return answer;
};

const reset = async (): Promise<string> => {
  await withClient(databaseUrl, (client) =>
    client.query('truncate publishers, placements, events, event_batches restart identity cascade'),
  );
  return databaseUrl;
};
