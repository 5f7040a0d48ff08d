import type { Rig } from '../create-rig.ts';
import { tableOf, whole, type Finding, type Scale } from '../finding.ts';
import { callsFile, openLoop, rateOfShare } from '../load.ts';
import { processCpuMicros } from '../../testkit/process-cpu.ts';
import { readMetrics } from '../../testkit/read-metrics.ts';
import { servedSince } from '../served-since.ts';
import { percentile } from '../../testkit/statistics.ts';
import { adCalls } from '../traffic.ts';

const LOAD_SHARE = 0.5;
const VIEWED = 0.8;

/** Load as it comes: many publishers, users and browsers, several impressions a page, empty places, and a pixel after most ads. */
export const life = async (rig: Rig, { seconds, quick }: Scale): Promise<Finding> => {
  const stage = await rig.stage('spread', { lineItems: 1_000, publishers: 16, targeting: 'realistic' });
  const calls = adCalls({ publishers: stage.publishers, calls: 16_384, seed: 16, imps: [1, 1, 1, 1, 2, 2, 3, 6], vacant: 0.1 });
  const file = callsFile(rig, 'life', calls);
  const server = await rig.startService(stage);
  const perSecond = await rateOfShare(rig, LOAD_SHARE, { server, file, follow: VIEWED });

  const before = await readMetrics(server);
  const cpuBefore = [processCpuMicros(server.pid), processCpuMicros(rig.redisPid)];
  const { samples, busy } = await openLoop(rig, {
    server,
    file,
    perSecond,
    seconds: quick ? 3 : 2 * seconds,
    follow: VIEWED,
  });
  const [serverMicros, redisMicros] = [processCpuMicros(server.pid) - cpuBefore[0]!, processCpuMicros(rig.redisPid) - cpuBefore[1]!];
  const after = await readMetrics(server);
  const { requests, served, errors, fallbacks } = servedSince(before, after);
  await rig.stop(server);
  const of = (kind: 'ad' | 'impression'): readonly string[] => {
    const latencies = samples.filter((sample) => sample.kind === kind).map(({ latencyMs }) => latencyMs);
    return [
      kind === 'ad' ? '`POST /ad`' : '`GET /impression`',
      whole(latencies.length),
      ...[0.5, 0.99, 0.999].map((share) => percentile(latencies, share).toFixed(2)),
    ];
  };
  rig.say(`  ${whole(requests)} requests, ${whole(served)} ads, ${errors} errors`);
  return {
    title: 'Load that looks like life',
    text: [
      tableOf(['open loop', 'requests', 'p50 ms', 'p99 ms', 'p99.9 ms'], [of('ad'), of('impression')]),
      `16 publishers in 16 shards, a million users, one to six impressions a request (two on average), one place in ten empty, and for ${VIEWED * 100} % of the ads a pixel half a second later: ${whole(requests)} requests, ${whole(served)} ads, ${errors} errors, ${fallbacks} hits past Redis. The server used ${(100 * busy).toFixed(0)} % of its core, ${(serverMicros / requests).toFixed(1)} µs per ad request with all that follows it, and Redis ${(redisMicros / requests).toFixed(1)} µs.`,
    ].join('\n\n'),
    goals: [],
  };
};
