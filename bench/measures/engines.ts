import { setTimeout as sleep } from 'node:timers/promises';
import { startRedisCluster, type RedisCluster } from '../../testkit/start-redis-cluster.ts';
import type { Rig } from '../create-rig.ts';
import { atLeast, tableOf, whole, type Finding, type Goal, type Scale } from '../finding.ts';
import { callsFile, closedLoop, interleave, type Run } from '../load.ts';
import { processCpuMicros } from '../process-cpu.ts';
import { adCalls } from '../traffic.ts';

const SHARDS = 16;
const SIZES = ['1', '3'] as const;

/** The same ads on one Redis node and on three, by the processor time of the busiest one. */
export const engines = async (rig: Rig, { rounds, seconds }: Scale): Promise<Finding> => {
  const stage = await rig.stage('spread', { lineItems: 1_000, publishers: SHARDS, targeting: 'realistic' });
  const file = callsFile(rig, 'engines', adCalls({ publishers: stage.publishers, calls: 16_384, seed: 14 }));
  const clusters = new Map<string, RedisCluster>();
  const busiest = new Map<string, number[]>(SIZES.map((size) => [size, []]));
  try {
    for (const size of SIZES) clusters.set(size, await startRedisCluster({ masters: Number(size), withReplicas: false }));
    const runs = await interleave(SIZES, rounds, async (size, warmUp) => {
      const { urls, masters } = clusters.get(size)!;
      const server = await rig.startService(stage, { env: { REDIS_URL: urls } });
      await closedLoop(rig, { server, script: 'wrk-ads.lua', file, seconds: 2 });
      const before = masters.map(({ pid }) => processCpuMicros(pid));
      const run = await closedLoop(rig, { server, script: 'wrk-ads.lua', file, seconds: warmUp ? 2 : seconds });
      await sleep(500);
      const micros = masters.map(({ pid }, i) => (processCpuMicros(pid) - before[i]!) / run.requests);
      await rig.stop(server);
      if (!warmUp) busiest.get(size)!.push(Math.max(...micros));
      return { ...run, redisMicros: micros.reduce((sum, one) => sum + one, 0) };
    });
    return findingOf(runs, busiest);
  } finally {
    await Promise.all([...clusters.values()].map((cluster) => cluster.close()));
  }
};

const findingOf = (runs: Readonly<Record<'1' | '3', Run>>, busiest: ReadonlyMap<string, readonly number[]>): Finding => {
  const busiestOf = (size: string): number => Math.min(...busiest.get(size)!);
  const gain = busiestOf('1') / busiestOf('3');
  const goals: Goal[] = [
    atLeast(`What three Redis nodes carry of one's ads, by the busiest node (${SHARDS} shards are 6, 5 and 5: at most 2.67)`, 2.4, gain),
  ];
  return {
    title: 'Redis Cluster',
    text: [
      tableOf(
        ['masters', 'ads/s of one replica', 'server CPU µs', 'Redis CPU µs, all nodes', 'busiest node', 'ads/s at one core of it'],
        SIZES.map((size) => {
          const { perSecond, cpuMicros, redisMicros } = runs[size];
          const micros = busiestOf(size);
          return [size, whole(perSecond), cpuMicros.toFixed(1), redisMicros.toFixed(2), micros.toFixed(2), whole(1e6 / micros)];
        }),
      ),
      'A node is full when its core is; the replica is far from filling one. A replica sends each shard its own calls, so a call has fewer reservations than on a single server.',
    ].join('\n\n'),
    goals,
  };
};
