import type { Rig, Stage } from '../create-rig.ts';
import { atMost, tableOf, whole, type Finding, type Scale } from '../finding.ts';
import { callsFile, openLoop, rateOfShare, type Sample } from '../load.ts';
import { withClient } from '../../testkit/databases.ts';
import { readMetrics } from '../../testkit/read-metrics.ts';
import { percentile } from '../../testkit/statistics.ts';
import type { Server } from '../../testkit/start-process.ts';
import { adCalls } from '../traffic.ts';
import { largeStage } from './scale.ts';

/** Of a core: a reload on a replica that is full already has nothing to take its time from. */
const LOAD_SHARE = 0.5;
const PAUSE_MS = 1_500;
const PATIENCE_MS = 60_000;

/** Every reload follows an edit of one campaign's line items, which are in all slots of the catalog. */
const editCampaign = ({ databaseUrl }: Stage, campaignId: number): Promise<unknown> =>
  withClient(databaseUrl, (client) =>
    client.query('update line_items set cpm_micros = cpm_micros + 1000 where campaign_id = $1', [campaignId]),
  );

/** Resolves when a reload has ended: one that takes more than five seconds answers 503, and goes on. */
const reloaded = async ({ url }: Server): Promise<void> => {
  for (const giveUpMs = performance.now() + PATIENCE_MS; ;) {
    const { status } = await fetch(`${url}/reload`, { method: 'POST' });
    if (status === 204) return;
    if (status !== 503 || performance.now() > giveUpMs) throw new Error(`POST /reload answered ${status}`);
  }
};

/** Latency of POST /ad while the largest catalog is reloaded, against the same seconds without. */
export const reload = async (rig: Rig, scale: Scale): Promise<Finding> => {
  const stage = await largeStage(rig, scale);
  const server = await rig.startService(stage);
  const file = callsFile(rig, 'reload', adCalls({ publishers: stage.publishers, calls: 16_384, seed: 15 }));
  const perSecond = await rateOfShare(rig, LOAD_SHARE, { server, file, polls: false });
  const seconds = scale.quick ? 6 : 30;

  const windows: { from: number; to: number }[] = [];
  let over = false;
  const reloading = (async () => {
    while (!over) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      if (over) break;
      await editCampaign(stage, windows.length + 1);
      const from = Date.now();
      await reloaded(server);
      windows.push({ from, to: Date.now() });
    }
  })();
  // Awaited together, so that a failure of one ends the measure and the other's rejection is handled.
  const load = openLoop(rig, { server, file, perSecond, seconds, polls: false }).finally(() => (over = true));
  const [{ samples }] = await Promise.all([load, reloading]);
  const lag = (await readMetrics(server)).get('nodejs_eventloop_lag_max_seconds') ?? NaN;
  await rig.stop(server);

  const duringReload = ({ dueMs, latencyMs }: Sample): boolean => windows.some(({ from, to }) => dueMs < to && dueMs + latencyMs > from);
  const inside = samples.filter(duringReload);
  const outside = samples.filter((sample) => !duringReload(sample));
  const latencies = (of: readonly Sample[]): readonly number[] => of.map(({ latencyMs }) => latencyMs);
  const p99 = { during: percentile(latencies(inside), 0.99), without: percentile(latencies(outside), 0.99) };
  const reloadMs = percentile(
    windows.map(({ from, to }) => to - from),
    0.5,
  );
  rig.say(
    `  ${windows.length} reloads of ${reloadMs.toFixed(0)} ms, p99 ${p99.during.toFixed(2)} ms during, ${p99.without.toFixed(2)} ms without`,
  );
  const row = (name: string, of: readonly Sample[]): readonly string[] => [
    name,
    whole(of.length),
    ...[0.5, 0.99, 0.999].map((share) => percentile(latencies(of), share).toFixed(2)),
  ];
  return {
    title: 'Reload under load',
    text: [
      tableOf(['open loop', 'requests', 'p50 ms', 'p99 ms', 'p99.9 ms'], [row('no reload', outside), row('during a reload', inside)]),
      `${windows.length} reloads of ${scale.quick ? '10,000' : '100,000'} line items, each after an edit of one campaign, ${reloadMs.toFixed(0)} ms each (median), at ${whole(perSecond)} ad requests a second, which use half of the core without a reload. Longest hold of the event loop: ${(1000 * lag).toFixed(1)} ms.`,
    ].join('\n\n'),
    goals: [atMost('p99 of `/ad` during a reload against p99 without', 2, p99.during / p99.without)],
  };
};
