import { setTimeout as sleep } from 'node:timers/promises';
import { createRedisClient } from '../../src/redis/redis-client.ts';
import { createRedisLink } from '../../src/redis/redis-link.ts';
import { eventually } from '../../testkit/until.ts';
import { startRedisCluster, type RedisCluster } from '../../testkit/start-redis-cluster.ts';
import { atEnd } from '../setup/at-end.ts';

const SHARDS = Array.from({ length: 16 }, (_, shard) => shard);
const claimKeys = SHARDS.map((shard) => `ads:{${shard}}:claim`);
let cluster: RedisCluster;

beforeAll(async () => {
  cluster = await startRedisCluster({ masters: 3, withReplicas: true });
  atEnd(() => cluster.close());
});

test('a node that hangs, and then is gone with its replica, takes down its shards alone', async () => {
  // With the patience of requests, and with the command timeout of the background.
  const links = [100, undefined].map((patienceMs) => {
    const redis = createRedisClient({ urls: cluster.urls.split(','), commandTimeoutMs: 2_000, name: 'test' });
    const link = createRedisLink({ redis, claimKeys, probeMs: 50, ...(patienceMs !== undefined && { patienceMs }) });
    atEnd(() => {
      link.stop();
      redis.disconnect();
    });
    return link;
  });
  await Promise.all(links.map((link) => link.open('one')));
  for (const link of links) await eventually(() => expect(link.up).toBe(true));

  const [node, ...others] = cluster.masters;
  const lost = (await node!.client.keys('ads:*:claim')).map((key) => claimKeys.indexOf(key));
  const kept = SHARDS.filter((shard) => !lost.includes(shard));
  expect([lost.length > 0, kept.length > 0]).toEqual([true, true]);
  const expectOnlyLostDown = async (): Promise<void> => {
    for (const link of links)
      await eventually(() => expect(SHARDS.filter((shard) => !link.upOf(shard))).toEqual(lost.toSorted((a, b) => a - b)));
  };

  await cluster.replicas[0]!.crash();
  node!.signal('SIGSTOP');
  await expectOnlyLostDown();
  // A shard of another node that has failed once is probed again, while the hanging node still holds its probes.
  for (const link of links) {
    link.suspect(kept[0]!);
    await eventually(() => expect(link.upOf(kept[0]!)).toBe(true));
  }
  node!.signal('SIGCONT');
  for (const link of links) await eventually(() => expect(link.up).toBe(true));

  await node!.crash();
  await expectOnlyLostDown();
  await sleep(1_000);
  await expectOnlyLostDown();
  for (const link of links) expect(Math.abs(link.nowMs(kept[0]!) - Date.now())).toBeLessThan(1_000);
  expect(await others[0]!.client.ping()).toBe('PONG');
});
