import { setTimeout as sleep } from 'node:timers/promises';
import { browse } from '../../testkit/person.ts';
import { bookPublishers, type Booking } from '../../testkit/book.ts';
import { withClient } from '../../testkit/databases.ts';
import { failOver } from '../../testkit/fail-over.ts';
import { startFaultProxy, type FaultProxy } from '../../testkit/start-fault-proxy.ts';
import { eventually, PATIENCE_MS, untilTrue } from '../../testkit/until.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { startRedisServer, type RedisServer } from './start-redis-server.ts';
import { startTraffic } from './traffic.ts';
import { readMetric } from '../../testkit/read-metrics.ts';

let databaseUrl: string;
let publisher: Booking;
let first: RedisServer;
let second: RedisServer;
let address: FaultProxy;
let replicas: readonly Replica[];

beforeAll(async () => {
  [databaseUrl, first, second] = await Promise.all([testDatabase(), startRedisServer(), startRedisServer()]);
  [publisher] = (await bookPublishers(databaseUrl, 1)) as [Booking];
  await follow(second, first);
  address = await startFaultProxy(first.url);
  atEnd(() => address.close());
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: address.url };
  replicas = await Promise.all([startReplica({ env }), startReplica({ env })]);
});

const follow = async (server: RedisServer, master: RedisServer): Promise<void> => {
  await server.client.replicaof('127.0.0.1', new URL(master.url).port);
  await eventually(async () => expect(await server.client.info('replication')).toContain('master_link_status:up'));
};

const ask = async (replica: Replica): Promise<string | undefined> => {
  const answer = await fetch(`${replica.url}/ad`, {
    method: 'POST',
    headers: { 'x-api-key': publisher.apiKey },
    body: JSON.stringify({
      id: 'r',
      imp: [{ id: '1', tagid: publisher.placementId }],
      user: { id: 'u' },
      ext: { publisher_id: publisher.publisherId },
    }),
  });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { seatbid: { bid: { impurl: string }[] }[] }).seatbid[0]?.bid[0]?.impurl;
};
const see = async (replica: Replica, path: string): Promise<number> => (await browse(replica.url + path)).status;
const ready = async (replica: Replica): Promise<unknown> => {
  const answer = await fetch(`${replica.url}/ready`);
  return [answer.status, await answer.json()];
};
const storedImpressions = (): Promise<number> =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from events where kind = 'impression'`);
    return rows[0]?.count ?? NaN;
  });

// How soon is a figure of the proof of the same name: npm run prove -- --only failover.
test('after a demoted master has kept its connections, every replica serves again when its address leads to the new master, and loses no hit', async () => {
  await withClient(databaseUrl, (client) => client.query('update line_items set daily_impression_cap = 1000'));
  await fetch(`${replicas[0]!.url}/reload`, { method: 'POST' });
  const before = await Promise.all(replicas.map(ask));
  expect(before.every((impurl) => impurl !== undefined)).toBe(true);
  const [early, late] = before as [string, string];
  expect(await see(replicas[0]!, early)).toBe(200);
  for (const replica of replicas)
    expect([await ready(replica), await readMetric(replica, 'adserver_redis_up')]).toEqual([[200, { status: 'ok' }], 1]);

  await second.client.replicaof('NO', 'ONE');
  await follow(first, second);
  for (const replica of replicas) {
    await eventually(async () => expect(await ready(replica)).toEqual([200, { status: 'degraded', redis: 'unavailable' }]));
    expect(await readMetric(replica, 'adserver_redis_up')).toBe(0);
    expect(await ask(replica)).toBeUndefined();
  }
  // Accepted in Postgres while no Redis takes writes.
  expect(await see(replicas[1]!, late)).toBe(200);

  address.moveTo(second.url);
  const healed = await Promise.all(replicas.map((replica) => untilTrue(async () => (await ask(replica)) !== undefined, PATIENCE_MS, 20)));
  for (const ms of healed) expect(ms).toBeDefined();
  for (const replica of replicas) expect(await readMetric(replica, 'adserver_redis_up')).toBe(1);
  // The work in the background writes to the new master too.
  await eventually(async () => expect(await storedImpressions()).toBe(2));

  // A change at one replica reaches the other one, and the subscriptions move to the new master.
  await withClient(databaseUrl, (client) => client.query('update line_items set active = false'));
  await fetch(`${replicas[0]!.url}/reload`, { method: 'POST' });
  await eventually(async () => expect(await ask(replicas[1]!)).toBeUndefined());
  await eventually(async () => {
    const listeners = String(await second.client.client('LIST', 'TYPE', 'PUBSUB'));
    expect(listeners.match(/name=ad-server-notices/g)).toHaveLength(replicas.length);
  });
});

test('a failover under traffic fails no request and loses no impression that was answered 200', async () => {
  await withClient(databaseUrl, (client) => client.query('update line_items set active = true'));
  await fetch(`${replicas[0]!.url}/reload`, { method: 'POST' });
  await eventually(async () => expect(await Promise.all(replicas.map(ask))).not.toContain(undefined));
  const before = await storedImpressions();
  const traffic = replicas.map(({ url }) => startTraffic(url, [publisher], 100));
  await sleep(500);
  await failOver(second.client, first.client);
  await sleep(500);
  address.moveTo(first.url);
  for (const replica of replicas) await eventually(async () => expect(await ask(replica)).toBeDefined());
  // Requests that were under way have their answers.
  await sleep(500);
  const healedAtMs = traffic.map((one) => one.elapsedMs());
  await sleep(1_500);
  const reports = await Promise.all(traffic.map((one) => one.stop()));
  expect(reports.flatMap(({ failed }) => failed)).toEqual([]);
  const impressions = reports.reduce((sum, one) => sum + one.impressions, 0);
  await eventually(async () => expect(await storedImpressions()).toBe(before + impressions));
  for (const [i, { unfilledAtMs }] of reports.entries())
    for (const atMs of unfilledAtMs.get(publisher.publisherId) ?? []) expect(atMs).toBeLessThan(healedAtMs[i]!);
});
