/*
 * The figures of "Sizing" in docs/operations.md for a Redis Cluster and for Postgres: CPU time of each Redis master and of all processes of
 * Postgres for an ad and for an impression, until its row is stored and counted. Writes them into that document. About seven minutes:
 * make engines
 *
 * No throughput is compared: on one machine more masters share the same cores. A master is full when its core is, so its CPU time for an ad says
 * how many it can take.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { IMAGE_FLAGS } from '../testkit/image-flags.ts';
import { startRedisCluster, type RedisCluster } from '../testkit/start-redis-cluster.ts';
import { withClient } from '../testkit/databases.ts';
import { readMetrics } from '../testkit/read-metrics.ts';
import { createRig, type Stage } from './create-rig.ts';
import { tableOf, whole } from './finding.ts';
import { callsFile, closedLoop } from './load.ts';
import { collectTokens } from './measures/pixels.ts';
import { familyCpuMicros, processCpuMicros } from '../testkit/process-cpu.ts';
import { withFigures } from './report.ts';
import { median } from '../testkit/statistics.ts';
import { adCalls, PIXEL_BROWSER } from './traffic.ts';
import { untilStored } from './until-stored.ts';

/** As many as LEDGER_SHARDS, one publisher in each. */
const SHARDS = 16;
const SIZES = [1, 3] as const;
const SECONDS = 6;
/** Of all sizes in turn: a shared machine is a third slower or faster a minute later. */
const ROUNDS = 3;
/** More than one core has ever answered, so that no token is used twice. */
const TOKENS = SECONDS * 20_000;
const IMPS = 20;
/** Impressions of an ad, as in the other figures of "Sizing". */
const SEEN = 0.6;
const BUSY = 0.6;

/** CPU time of each master for one request. */
type PerMaster = readonly number[];

interface ClusterCost {
  readonly fromLots: PerMaster;
  readonly oneByOne: PerMaster;
  /** Until its row is stored. */
  readonly impression: PerMaster;
}

interface RowCost {
  readonly cpuMicros: number;
  readonly walBytes: number;
  readonly diskBytes: number;
}

const say = (line: string): void => console.error(line);
const rig = await createRig({ nodeFlags: IMAGE_FLAGS, say });

const measureCluster = async (stage: Stage, cluster: RedisCluster): Promise<{ readonly cost: ClusterCost; readonly row: RowCost }> => {
  // One address means a single server, whose calls take all shards together.
  const env = { REDIS_URL: `${cluster.urls},${cluster.urls}`, LEDGER_SHARDS: String(SHARDS) };
  const ads = callsFile(rig, 'engines', adCalls({ publishers: stage.publishers, calls: 16_384, seed: 14 }));
  const pages = adCalls({ publishers: stage.publishers, calls: 512, seed: 15, imps: [IMPS], browser: PIXEL_BROWSER });
  const microsOf = (): readonly number[] => cluster.masters.map(({ pid }) => processCpuMicros(pid));
  const per = (before: readonly number[], requests: number): PerMaster => microsOf().map((micros, i) => (micros - before[i]!) / requests);

  const adsWith = async (allowances: boolean): Promise<PerMaster> => {
    const server = await rig.startService(stage, { env: { ...env, ALLOWANCES: String(allowances) } });
    await closedLoop(rig, { server, kind: 'ads', file: ads, seconds: 2 });
    const before = microsOf();
    const { sent } = await closedLoop(rig, { server, kind: 'ads', file: ads, seconds: SECONDS });
    // Lots are reported every second.
    await sleep(1_200);
    const micros = per(before, sent);
    const decided = await readMetrics(server);
    const by = (decider: string): number => decided.get(`adserver_reservations_total{by="${decider}"}`) ?? 0;
    say(`  ${whole(sent)} ads; of all, from lots ${whole(by('lots'))}, by the ledger ${whole(by('ledger'))}`);
    if (by('outage') > sent / 1000) throw new Error(`${by('outage')} ads were decided without Redis`);
    await rig.stop(server);
    return micros;
  };

  const fromLots = await adsWith(true);
  const oneByOne = await adsWith(false);

  const file = path.join(rig.stateDir, 'engines-paths');
  const collector = await rig.startService(stage, { env });
  writeFileSync(file, `${(await collectTokens(collector, pages, TOKENS)).join('\n')}\n`);
  // A replica counts what is not counted yet before it ends: first the ads, and then the impressions alone.
  await rig.stop(collector);
  const server = await rig.startService(stage, { env });
  await sleep(2_000);
  const [redisBefore, postgresBefore, booksBefore] = [microsOf(), familyCpuMicros(rig.postgresPid), await booksOf(stage)];
  const run = await closedLoop(rig, { server, kind: 'paths', file, seconds: SECONDS });
  if (run.repeated > 0) throw new Error(`${run.repeated} impressions were sent twice: collect more tokens`);
  await untilStored(...cluster.masters.map(({ client }) => client));
  const impression = per(redisBefore, run.sent);
  await rig.stop(server);
  const cpuMicros = familyCpuMicros(rig.postgresPid) - postgresBefore;
  const books = await booksOf(stage);
  const rows = books.rows - booksBefore.rows;
  say(`  ${whole(run.sent)} impressions, ${whole(rows)} rows`);
  const row = { cpuMicros, walBytes: books.walBytes - booksBefore.walBytes, diskBytes: books.diskBytes - booksBefore.diskBytes };
  return {
    cost: { fromLots, oneByOne, impression },
    row: { cpuMicros: row.cpuMicros / rows, walBytes: row.walBytes / rows, diskBytes: row.diskBytes / rows },
  };
};

const booksOf = ({ databaseUrl }: Stage): Promise<{ readonly rows: number; readonly walBytes: number; readonly diskBytes: number }> =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ rows: string; wal: string; disk: string }>(
      `select (select count(*) from events) as rows, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as wal,
         (select coalesce(sum(pg_total_relation_size(inhrelid)), 0) from pg_inherits
          where inhparent in ('events'::regclass, 'event_signals'::regclass)) as disk`,
    );
    const [found] = rows;
    return { rows: Number(found?.rows), walBytes: Number(found?.wal), diskBytes: Number(found?.disk) };
  });

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
/** The busiest master of a load of ads, with their impressions. */
const busiestOf = (ad: PerMaster, { impression }: ClusterCost): number =>
  Math.max(...ad.map((micros, i) => micros + SEEN * impression[i]!));

const medianCost = (costs: readonly ClusterCost[]): ClusterCost => {
  const of = (mode: keyof ClusterCost): PerMaster => costs[0]![mode].map((_, i) => median(costs.map((cost) => cost[mode][i]!)));
  return { fromLots: of('fromLots'), oneByOne: of('oneByOne'), impression: of('impression') };
};

const medianRow = (rows: readonly RowCost[]): RowCost => {
  const of = (field: keyof RowCost): number => median(rows.map((row) => row[field]));
  return { cpuMicros: of('cpuMicros'), walBytes: of('walBytes'), diskBytes: of('diskBytes') };
};

/** Writes the tables into docs/operations.md. */
const write = (costs: ReadonlyMap<number, ClusterCost>, row: RowCost): void => {
  const [one, three] = SIZES.map((size) => costs.get(size)!) as [ClusterCost, ClusterCost];
  const gainOf = (mode: 'fromLots' | 'oneByOne'): string => (busiestOf(one[mode], one) / busiestOf(three[mode], three)).toFixed(2);
  const perSecond = (ad: PerMaster, cost: ClusterCost): string => whole((BUSY * 1e6) / busiestOf(ad, cost));
  const clusterTable = tableOf(
    [
      'Redis Cluster',
      'an ad from a lot',
      'an ad reserved by itself',
      'an impression, until it is stored',
      'ads a second, from lots',
      'ads a second, each by itself',
    ],
    SIZES.map((size) => {
      const cost = costs.get(size)!;
      const micros = (of: PerMaster): string => `${sum(of).toFixed(1)} µs`;
      return [
        size === 1 ? '1 master' : `${size} masters`,
        ...[micros(cost.fromLots), micros(cost.oneByOne), micros(cost.impression)],
        ...[perSecond(cost.fromLots, cost), perSecond(cost.oneByOne, cost)],
      ];
    }),
  );
  const rowsPerSecond = (BUSY * 1e6) / row.cpuMicros;
  const postgresTable = tableOf(
    ['Postgres, one core', 'CPU time', 'write-ahead log', 'disk', 'rows a second', 'reached at ads a second'],
    [
      [
        'an event row, with its counts',
        `${row.cpuMicros.toFixed(1)} µs`,
        `${whole(row.walBytes)} bytes`,
        `${whole(row.diskBytes)} bytes`,
        whole(rowsPerSecond),
        whole(rowsPerSecond / SEEN),
      ],
    ],
  );
  const figures = [
    '',
    'Written by `make engines`: CPU time of all masters for one ad or one impression; ads a second at which the busiest master, and Postgres,',
    `are ${BUSY * 100} % busy, with ${SEEN} impressions an ad; medians of ${ROUNDS} rounds. ${SHARDS} publishers in ${SHARDS} shards, 1,000 line items, one replica.`,
    '',
    clusterTable,
    '',
    `Three masters carry ${gainOf('fromLots')} times what one carries (from lots; each by itself: ${gainOf('oneByOne')}): ${SHARDS} shards are 6, 5 and 5, so at most 2.67.`,
    'A call takes one shard: with more traffic for each shard it holds more ads and hits, and each costs less than here.',
    '',
    postgresTable,
    '',
    `Rows of ${SECONDS} s, which enter the counts together (\`ROLL_UP_INTERVAL\`). What Postgres takes for a whole ad, with the counts of requests`,
    'and ads, is in [performance.md](performance.md#the-whole-cost-of-an-ad).',
    '',
  ].join('\n');
  const document = fileURLToPath(new URL('../docs/operations.md', import.meta.url));
  writeFileSync(document, withFigures(readFileSync(document, 'utf8'), figures, 'engines'));
  console.log(figures);
};

try {
  const clusters = new Map<number, RedisCluster>();
  try {
    for (const size of SIZES) clusters.set(size, await startRedisCluster({ masters: size, withReplicas: false }));
    const rounds = new Map(SIZES.map((size): [number, ClusterCost[]] => [size, []]));
    const rows: RowCost[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (const [size, cluster] of clusters) {
        // The counters of a cluster have a database of their own, or they would be compared with those of the other one.
        const stage = await rig.stage(`masters_${size}`, { lineItems: 1_000, publishers: SHARDS, targeting: 'realistic' });
        const { cost, row } = await measureCluster(stage, cluster);
        rounds.get(size)!.push(cost);
        rows.push(row);
        say(`${size}: ${JSON.stringify({ cost, row })}`);
      }
    }
    write(new Map(SIZES.map((size) => [size, medianCost(rounds.get(size)!)])), medianRow(rows));
  } finally {
    await Promise.all([...clusters.values()].map((cluster) => cluster.close()));
  }
} finally {
  await rig.close();
}
process.exit(0);
