import type pg from 'pg';
import { withClient } from '../../testkit/databases.ts';
import { familyCpuMicros, processCpuMicros } from '../../testkit/process-cpu.ts';
import { readMetrics } from '../../testkit/read-metrics.ts';
import { median } from '../../testkit/statistics.ts';
import type { Rig } from '../create-rig.ts';
import { atMost, tableOf, whole as rounded, type Finding, type Scale } from '../finding.ts';
import { closedLoop, openLoop } from '../load.ts';
import { servedSince } from '../served-since.ts';
import { untilStored } from '../until-stored.ts';
import { bookedBuilds, type Build } from './builds.ts';
import { inTurns } from './contest.ts';
import { measureFloors, type Floors } from './whole-floors.ts';

/** Most of a core. With fewer each request wakes every process for itself: at 600 a second an ad costs 2.4 times as much. */
const PER_SECOND = 4_000;
/** Of what a closed loop of ads reaches: one by one, and with their pixels, they cost three times as much. A machine in a slow hour has less than most of a core. */
const SHARE_OF_CLOSED_LOOP = 0.35;
const VIEWED = 0.8;
/** Several roll-ups fall into a run. */
const ROLL_UP_SECONDS = 30;
const QUICK_ROLL_UP_SECONDS = 2;
const RUN_ROLL_UPS = 3;
const MAX_FILTERED = 0.01;

/** CPU time in µs, and bytes, of one ad that is asked for. */
interface Cost {
  readonly service: number;
  readonly redis: number;
  readonly postgres: number;
  readonly walBytes: number;
  readonly diskBytes: number;
  /** Event rows of an ad. */
  readonly rows: number;
}

const booksOf = (client: pg.Client) =>
  client
    .query<{ wal: string; disk: string; rows: string; filtered: string }>(
      `select pg_current_wal_lsn() - '0/0'::pg_lsn as wal, pg_database_size(current_database()) as disk,
              count(*) as rows, count(*) filter (where invalid_reason <> '') as filtered from events`,
    )
    .then(({ rows: [row] }) => ({
      ...{ wal: Number(row!.wal), disk: Number(row!.disk) },
      ...{ rows: Number(row!.rows), filtered: Number(row!.filtered) },
    }));

interface Load {
  readonly perSecond: number;
  readonly seconds: number;
  readonly rollUpSeconds: number;
}

/** Ads a second that leave the service a part of its core. */
const bearableRate = async (rig: Rig, { name, dist, stage, file }: Build<Cost>): Promise<number> => {
  const server = await rig.startService(stage, { name, dist });
  const reach = () => closedLoop(rig, { server, kind: 'ads', file, seconds: 4 });
  // In the first run its code is compiled.
  await reach();
  const { perSecond } = await reach();
  await rig.stop(server);
  await untilStored(stage.redis);
  return Math.min(PER_SECOND, Math.floor((SHARE_OF_CLOSED_LOOP * perSecond) / 100) * 100);
};

/** One run of a build, from its start until everything that it has caused is stored and counted. */
const run = (rig: Rig, { name, dist, stage, file }: Build<Cost>, { perSecond, seconds, rollUpSeconds }: Load): Promise<Cost> =>
  withClient(stage.databaseUrl, async (client) => {
    const server = await rig.startService(stage, { name, dist, env: { ROLL_UP_INTERVAL: `${rollUpSeconds}s` } });
    // Its catalog is loaded, and its code compiled.
    await openLoop(rig, { server, file, perSecond, seconds: 3, follow: VIEWED, polls: false });
    await untilStored(stage.redis);
    const [books, metrics] = [await booksOf(client), await readMetrics(server)];
    const [service, redis, postgres] = [
      processCpuMicros(server.pid),
      processCpuMicros(rig.redisPid),
      familyCpuMicros(rig.postgresPid),
    ] as const;
    await openLoop(rig, { server, file, perSecond, seconds, follow: VIEWED, polls: false });
    await untilStored(stage.redis);
    const used = [processCpuMicros(server.pid) - service, processCpuMicros(rig.redisPid) - redis] as const;
    const { served, errors } = servedSince(metrics, await readMetrics(server));
    if (errors > served / 1000) throw new Error(`${name}: ${errors} errors`);
    // It counts what is not counted yet before it ends.
    await rig.stop(server);
    await client.query('checkpoint');
    const after = await booksOf(client);
    const [rows, filtered] = [after.rows - books.rows, after.filtered - books.filtered];
    // A row that is filtered bills nothing, and holds more bytes.
    if (filtered > rows * MAX_FILTERED) throw new Error(`${name}: ${filtered} of ${rows} hits were filtered`);
    return {
      ...{ service: used[0] / served, redis: used[1] / served, postgres: (familyCpuMicros(rig.postgresPid) - postgres) / served },
      ...{ walBytes: (after.wal - books.wal) / served, diskBytes: (after.disk - books.disk) / served },
      rows: rows / served,
    };
  });

const medianOf = ({ rounds }: Build<Cost>, read: (cost: Cost) => number): number => median(rounds.map(read));
const cpuOf = ({ service, redis, postgres }: Cost): number => service + redis + postgres;

/**
 * CPU time of all processes, and bytes of the write-ahead log and of disk, for an ad that is asked for and, four times of five, seen, until its
 * event is a row in every report. CPU time, not time: it says something beside other work too.
 *
 * @param other the folder of another build, which takes turns with this one
 */
export const wholeCost = async (rig: Rig, { rounds, seconds, quick }: Scale, other?: string): Promise<Finding> => {
  const plan = { lineItems: 1_000, publishers: 16, targeting: 'realistic' } as const;
  const builds = await bookedBuilds<Cost>(rig, { measure: 'whole', plan, seed: 17, ...(other !== undefined && { other }) });
  const load: Load = {
    perSecond: await bearableRate(rig, builds[0]!),
    seconds: quick ? 2 * seconds : Math.max(seconds, RUN_ROLL_UPS * ROLL_UP_SECONDS),
    rollUpSeconds: quick ? QUICK_ROLL_UP_SECONDS : ROLL_UP_SECONDS,
  };
  // The first of a turn has the pages of Postgres that the other one left behind.
  await inTurns(builds, rounds, async (build) => {
    const cost = await run(rig, build, load);
    build.rounds.push(cost);
    rig.say(
      `  ${build.name}: ${cpuOf(cost).toFixed(0)} µs (Postgres ${cost.postgres.toFixed(1)}), ${rounded(cost.walBytes)} bytes of log, ${cost.rows.toFixed(2)} rows`,
    );
  });
  const own = builds.at(-1)!;
  const floors = await measureFloors(rig, own.stage, own.file, { perSecond: load.perSecond, requests: 1 + VIEWED });
  return {
    title: 'The whole cost of an ad',
    text: textOf(builds, floors, load),
    goals: [
      atMost('CPU time of everything, µs for an ad asked for and seen', 120, medianOf(own, cpuOf)),
      atMost(
        'Postgres, µs for an event',
        15,
        medianOf(own, ({ postgres, rows }) => postgres / rows),
      ),
      atMost(
        'Postgres, bytes of log for an event',
        400,
        medianOf(own, ({ walBytes, rows }) => walBytes / rows),
      ),
    ],
  };
};

const textOf = (
  builds: readonly Build<Cost>[],
  { copy, incrMicros, echoMicros, pacedEchoMicros }: Floors,
  { perSecond, seconds }: Load,
): string => {
  const line = (what: string, read: (cost: Cost) => number, digits: number): string[] => [
    what,
    ...builds.map((build) => medianOf(build, read).toFixed(digits)),
  ];
  return [
    tableOf(
      ['for one ad asked for, 4 of 5 seen', ...builds.map(({ name }) => (name === 'this' ? 'this build' : 'the other build'))],
      [
        line('service, µs', ({ service }) => service, 1),
        line('Redis, µs', ({ redis }) => redis, 1),
        line('Postgres, µs', ({ postgres }) => postgres, 1),
        line('all, µs', cpuOf, 1),
        line('core seconds of a million ads', cpuOf, 0),
        line('write-ahead log, bytes', ({ walBytes }) => walBytes, 0),
        line('disk, bytes', ({ diskBytes }) => diskBytes, 0),
        line('Postgres for an event, µs', ({ postgres, rows }) => postgres / rows, 1),
        line('log of an event, bytes', ({ walBytes, rows }) => walBytes / rows, 0),
      ],
    ),
    `${rounded(perSecond)} requests a second for ${seconds} s in each round, 1,000 line items of 16 publishers; Postgres until everything is counted, with its log, vacuum, connections and the comparison of the books. Floors of the same run: COPY of the same rows with their unique index ${copy.micros.toFixed(1)} µs and ${rounded(copy.walBytes)} bytes of log a row, one INCR of Redis ${incrMicros.toFixed(1)} µs, an echo of node:http ${echoMicros.toFixed(1)} µs for a request in a closed loop, and ${pacedEchoMicros.toFixed(1)} µs for an ad when ${rounded(perSecond * (1 + VIEWED))} requests a second come one by one.`,
  ].join('\n\n');
};
