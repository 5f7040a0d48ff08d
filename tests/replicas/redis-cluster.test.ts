import { setTimeout as sleep } from 'node:timers/promises';
import { bookPublishers, type Booking } from '../../testkit/book.ts';
import { eventually } from '../../testkit/until.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { withClient } from '../../testkit/databases.ts';

import { startRedisCluster, type ClusterNode, type RedisCluster } from '../../testkit/start-redis-cluster.ts';
import { atEnd } from '../setup/at-end.ts';
import { startTraffic, type TrafficReport } from './traffic.ts';
import { redisSettingsFaults } from '../../src/redis/redis-settings.ts';
import { readMetric } from '../../testkit/read-metrics.ts';

/** As many publishers as shards: their ids use every shard, and the shards use cluster slots of all three masters. */
const SHARDS = 16;
/** Above what was delivered before. */
const MORE = 15;

let cluster: RedisCluster;
let databaseUrl: string;
let publishers: readonly Booking[];
let replicas: readonly Replica[];
let acknowledged = 0;
/** Of the first line item. */
let cap = Infinity;

beforeAll(async () => {
  [cluster, databaseUrl] = [await startRedisCluster({ masters: 3, withReplicas: true }), await testDatabase()];
  atEnd(() => cluster.close());
  publishers = await bookPublishers(databaseUrl, SHARDS);
  const env = { NODE_ENV: 'production', DATABASE_URL: databaseUrl, REDIS_URL: cluster.urls, LEDGER_SHARDS: String(SHARDS) };
  replicas = [await startReplica({ env }), await startReplica({ env })];
});

/** Traffic on both replicas while something is done to the cluster. */
const serveDuring = async (perSecond: number, work: () => Promise<void>): Promise<TrafficReport> => {
  const traffic = replicas.map(({ url }) => startTraffic(url, publishers, perSecond / 2));
  await work();
  const reports = await Promise.all(traffic.map((one) => one.stop()));
  acknowledged += reports.reduce((sum, { impressions }) => sum + impressions, 0);
  return {
    requests: reports.reduce((sum, { requests }) => sum + requests, 0),
    failed: reports.flatMap(({ failed }) => failed),
    impressions: reports.reduce((sum, { impressions }) => sum + impressions, 0),
    served: new Map(publishers.map(({ publisherId: id }) => [id, reports.reduce((sum, { served }) => sum + (served.get(id) ?? 0), 0)])),
    unfilledAtMs: new Map(publishers.map(({ publisherId: id }) => [id, reports.flatMap(({ unfilledAtMs }) => unfilledAtMs.get(id) ?? [])])),
  };
};

const storedImpressions = (): Promise<number> =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from events where kind = 'impression'`);
    return rows[0]!.count;
  });

/** Of the first line item, its rows: daily counts are behind them. */
const cappedImpressions = (): Promise<number> =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from events where kind = 'impression' and line_item_id = $1`,
      [publishers[0]!.lineItemIds[0]],
    );
    return rows[0]!.count;
  });

const metric = (name: string): Promise<number> => readMetric(replicas[0]!, name);

const keysOn = ({ client }: ClusterNode): Promise<string[]> => client.keys('ads:*');

test('sixteen shards are spread over three masters, and every script, stream and consumer group uses one cluster slot', async () => {
  const { failed, served, unfilledAtMs } = await serveDuring(200, () => sleep(1_500));
  expect(failed).toEqual([]);
  expect([...unfilledAtMs.values()].flat()).toEqual([]);
  expect(Math.min(...served.values())).toBeGreaterThan(0);
  const keys = await Promise.all(cluster.masters.map(keysOn));
  for (const onMaster of keys) expect(onMaster.filter((key) => key.endsWith(':events')).length).toBeGreaterThan(0);
  await eventually(async () => expect(await storedImpressions()).toBe(acknowledged));
  for (const replica of replicas) expect(replica.logs()).not.toMatch(/CROSSSLOT|MOVED|NOSCRIPT|WRONGTYPE|Lua/);
});

test('checks the settings of every master', async () => {
  expect(await metric('adserver_redis_misconfigured')).toBe(0);
  await cluster.masters[2]!.client.config('SET', 'appendonly', 'no');
  expect(await metric('adserver_redis_misconfigured')).toBe(1);
  expect(replicas[0]!.logs()).toContain(`127.0.0.1:${cluster.masters[2]!.port} keeps no append-only file`);
  await cluster.masters[2]!.client.config('SET', 'appendonly', 'yes');
});

test('says when REDIS_URL names one node of a cluster, whose calls would be refused', async () => {
  const [first] = cluster.masters;
  expect(await redisSettingsFaults(first!.client)).toEqual([
    `127.0.0.1:${first!.port} is a node of a cluster: REDIS_URL must name several nodes`,
  ]);
});

test('moving cluster slots to another master under load fails no request and loses no count', async () => {
  const [from, to] = cluster.masters as [ClusterNode, ClusterNode];
  const moved = (await keysOn(from)).find((key) => key.endsWith(':events'))!;
  const slot = Number(await from.client.cluster('KEYSLOT', moved));
  const { failed } = await serveDuring(200, async () => {
    await sleep(300);
    await to.client.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id);
    await from.client.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id);
    for (;;) {
      const keys = (await from.client.call('CLUSTER', 'GETKEYSINSLOT', slot, 100)) as string[];
      if (keys.length === 0) break;
      await from.client.call('MIGRATE', '127.0.0.1', to.port, '', 0, 5000, 'KEYS', ...keys);
    }
    for (const node of [to, from]) await node.client.call('CLUSTER', 'SETSLOT', slot, 'NODE', to.id);
    await sleep(700);
  });
  expect(failed).toEqual([]);
  expect(await keysOn(to)).toContain(moved);
  await eventually(async () => expect(await storedImpressions()).toBe(acknowledged));
});

test('a manual failover fails no request and exceeds no cap', async () => {
  const capped = publishers[0]!;
  cap = (await cappedImpressions()) + MORE;
  await withClient(databaseUrl, (client) =>
    client.query('update line_items set daily_impression_cap = $1 where id = $2', [cap, capped.lineItemIds[0]]),
  );
  await fetch(`${replicas[0]!.url}/reload`, { method: 'POST' });
  const { failed } = await serveDuring(300, async () => {
    await sleep(300);
    for (const { client } of cluster.replicas) await client.call('CLUSTER', 'FAILOVER');
    await sleep(2_700);
  });
  expect(failed).toEqual([]);
  await eventually(async () => expect(await storedImpressions()).toBe(acknowledged));
});

test('after a master crashes its replica takes over: every request is answered, other shards are not affected, no acknowledged hit is lost', async () => {
  // After the failover of the previous test, the initial replicas are the masters.
  const [crashing, taking] = [cluster.replicas[1], cluster.masters[1]];
  const lost = new Set((await keysOn(crashing!)).map((key) => Number(/\{(\d+)\}/.exec(key)![1])));
  const { failed, unfilledAtMs } = await serveDuring(200, async () => {
    await sleep(500);
    await crashing!.crash();
    await eventually(async () => expect(await taking!.client.info('replication')).toContain('role:master'));
    await sleep(1_500);
  });
  expect(failed).toEqual([]);
  const shardsOfUnfilled = [...unfilledAtMs].filter(([, moments]) => moments.length > 0).map(([id]) => id % SHARDS);
  for (const shard of shardsOfUnfilled) if (shard !== publishers[0]!.publisherId % SHARDS) expect([...lost]).toContain(shard);
  await eventually(async () => expect(await storedImpressions()).toBe(acknowledged));
  expect(await metric('adserver_redis_shards_down')).toBe(0);

  // A reservation whose answer was late is held until its token expires, so slightly less than the cap may be delivered, never more.
  const capped = await cappedImpressions();
  expect(capped).toBeGreaterThan(cap - MORE);
  expect(capped).toBeLessThanOrEqual(cap);
});

test('a master that loses its data sells no cap again and loses no impression, and the publishers of the others do not notice', async () => {
  const shard = publishers[0]!.publisherId % SHARDS;
  const nodes = [...cluster.masters, ...cluster.replicas];
  const onNodes = await Promise.all(nodes.map((node) => keysOn(node).catch(() => [])));
  const roles = await Promise.all(nodes.map((node) => node.client.info('replication').catch(() => '')));
  const at = nodes.findIndex((_, i) => roles[i]!.includes('role:master') && onNodes[i]!.some((key) => key.startsWith(`ads:{${shard}}:`)));
  const lost = new Set(onNodes[at]!.map((key) => Number(/\{(\d+)\}/.exec(key)![1])));
  expect(lost.size).toBeLessThan(SHARDS);
  const { failed, unfilledAtMs } = await serveDuring(200, async () => {
    await sleep(500);
    await nodes[at]!.client.flushall();
    await sleep(3_000);
  });
  expect(failed).toEqual([]);
  for (const [id, moments] of unfilledAtMs) if (moments.length > 0) expect([...lost]).toContain(id % SHARDS);
  await eventually(async () => expect(await storedImpressions()).toBe(acknowledged));
  await eventually(async () => expect(await metric('adserver_books_rebuilding')).toBe(0));
  expect(await cappedImpressions()).toBeLessThanOrEqual(cap);
});
