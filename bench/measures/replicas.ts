import { setTimeout as sleep } from 'node:timers/promises';
import { createCpuGroup, type CpuGroup } from '../cpu-group.ts';
import type { Rig, Stage } from '../create-rig.ts';
import { atLeast, tableOf, whole, type Finding, type Goal, type Scale } from '../finding.ts';
import { callsFile, closedLoop } from '../load.ts';
import { servesOf } from '../serves-of.ts';
import { withClient } from '../../testkit/databases.ts';
import { median } from '../../testkit/statistics.ts';
import type { Server } from '../../testkit/start-process.ts';
import { adCalls } from '../traffic.ts';

/** Four of them fit on one core with room to spare. */
const QUOTA = 0.2;
/** Longer than an allowance of one second of demand is outstanding unreported. */
const REPORTED_MS = 2_500;
const CAP = 500;
const CAPPED = 5;
const TITLE = 'Replicas under equal CPU quotas';

interface Fleet {
  readonly perSecond: number;
  readonly redisMicros: number;
  /** Serves in this run of the line items that rank above all others; each had CAP of its daily cap left. */
  readonly serves: readonly number[];
}

/** One, two and four replicas, each limited to the same share of a core, and daily caps that they share. */
export const replicas = async (rig: Rig, { rounds, seconds, quick }: Scale): Promise<Finding> => {
  const counts = quick ? [1, 2] : [1, 2, 4];
  const most = counts.at(-1)!;
  const quotas: CpuGroup[] = [];
  for (let i = 0; i < most; i++) {
    const quota = createCpuGroup(`ad-server-bench-${process.pid}-${i}`, { quota: QUOTA });
    if (!quota)
      return { title: TITLE, text: 'Not measured: this account may not set CPU quotas (control groups) on this machine.', goals: [] };
    quotas.push(quota);
  }
  const plan = { lineItems: 1_000, publishers: 1, targeting: 'realistic', capped: { lineItems: CAPPED, dailyImpressions: CAP } } as const;
  const stage = await rig.stage('replicas', plan);
  const file = callsFile(rig, 'replicas', adCalls({ publishers: stage.publishers, calls: 16_384, seed: 17 }));
  const fleet: Server[] = [];
  try {
    for (let i = 0; i < most; i++) {
      const replica = await rig.startService(stage, { name: `replica ${i + 1}` });
      // Warm before it is limited: the compiler's first seconds are not the subject.
      await closedLoop(rig, { server: replica, kind: 'ads', file, seconds: 2 });
      quotas[i]!.take(replica.pid);
      fleet.push(replica);
    }
    const runs = new Map<number, Fleet[]>(counts.map((count) => [count, []]));
    for (let round = 0; round < rounds; round++)
      for (const count of counts) {
        const run = await loadFleet(rig, stage, fleet.slice(0, count), file, seconds);
        rig.say(`  ${count} replicas: ${whole(run.perSecond)} a second, capped line items served ${run.serves.join(', ')} of ${CAP}`);
        runs.get(count)?.push(run);
      }
    return describe(runs);
  } finally {
    await rig.stop(...fleet);
    for (const quota of quotas) await quota.remove();
  }
};

/** Each run raises the daily caps by what is to be sold in it: a counter is never taken back under replicas that have allowances of it. */
const loadFleet = async (rig: Rig, stage: Stage, fleet: readonly Server[], file: string, seconds: number): Promise<Fleet> => {
  const before = await servesOf(stage);
  await raiseCaps(stage, before);
  for (const { url } of fleet) await fetch(`${url}/reload`, { method: 'POST' });
  const runs = await Promise.all(fleet.map((server) => closedLoop(rig, { server, kind: 'ads', file, seconds, polls: false })));
  await sleep(REPORTED_MS);
  const after = await servesOf(stage);
  const requests = runs.reduce((sum, run) => sum + run.requests, 0);
  return {
    perSecond: runs.reduce((sum, run) => sum + run.perSecond, 0),
    // Every run has seen the CPU time of the same Redis over the same seconds.
    redisMicros: (runs[0]!.redisMicros * runs[0]!.requests) / requests,
    serves: stage.cappedLineItems.map((id) => (after.get(id) ?? 0) - (before.get(id) ?? 0)),
  };
};

const raiseCaps = ({ databaseUrl, cappedLineItems }: Stage, serves: ReadonlyMap<number, number>): Promise<unknown> =>
  withClient(databaseUrl, (client) =>
    client.query(
      `update line_items set daily_impression_cap = cap
       from unnest($1::int[], $2::int[]) as of (line_item_id, cap) where line_items.id = line_item_id`,
      [cappedLineItems, cappedLineItems.map((id) => (serves.get(id) ?? 0) + CAP)],
    ),
  );

const describe = (runs: ReadonlyMap<number, readonly Fleet[]>): Finding => {
  const rows = [...runs].map(([count, all]) => ({
    count,
    perSecond: median(all.map(({ perSecond }) => perSecond)),
    redisMicros: median(all.map(({ redisMicros }) => redisMicros)),
  }));
  const [one, two] = rows;
  const serves = [...runs.values()].flat().flatMap((run) => run.serves);
  const caps: Goal = {
    what: `no daily cap exceeded (${serves.length} caps of ${CAP}, shared by the replicas)`,
    goal: '0 over',
    measured: `${serves.filter((count) => count > CAP).length} over, ${serves.filter((count) => count === CAP).length} reached to the last one`,
    met: serves.every((count) => count <= CAP),
    plausible: serves.every((count) => count <= CAP),
  };
  return {
    title: TITLE,
    text: [
      tableOf(
        ['replicas', 'requests/s', 'of one replica', 'Redis CPU µs per ad'],
        rows.map(({ count, perSecond, redisMicros }) => [
          String(count),
          whole(perSecond),
          (perSecond / one!.perSecond).toFixed(2),
          redisMicros.toFixed(1),
        ]),
      ),
      `Each replica is held to ${QUOTA * 100} % of a core by a control group, so that they do not share what they are to add. ${CAPPED} line items with a daily cap of ${CAP} rank first for every request.`,
    ].join('\n\n'),
    goals: [atLeast('two replicas against one, the same CPU quota each, requests/s', 1.9, two!.perSecond / one!.perSecond), caps],
  };
};
