import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Rig, Stage } from '../create-rig.ts';
import { atLeast, atMost, tableOf, whole, type Finding, type Scale } from '../finding.ts';
import { callsFile, closedLoop, type Run } from '../load.ts';
import { processCpuMicros } from '../process-cpu.ts';
import { median } from '../../testkit/statistics.ts';
import type { Server } from '../../testkit/start-process.ts';
import { adCalls, PIXEL_BROWSER, type AdCall } from '../traffic.ts';
import { collectTokens } from './pixels.ts';

const WARM_UP_SECONDS = 3;
const IDLE_SECONDS = 3;
const SLICE_SECONDS = 1;
/** What the collected ads leave to do (their counts, their events) is not charged to the impressions. */
const SETTLING_MS = 1_500;
const MAX_IMPRESSIONS_A_SLICE = 20_000;
const IMPS = 20;

/** What one start of a build has done, over all its slices. */
interface Round {
  readonly ad: Slices;
  readonly impression: Slices;
  readonly idleCpu: number;
}

type Slices = Pick<Run, 'perSecond' | 'cpuMicros' | 'redisMicros'>;

interface Contestant {
  readonly name: string;
  readonly dist: string;
  readonly stage: Stage;
  /** File of ad requests. */
  readonly ads: string;
  /** Requests whose ads are rendered. */
  readonly tokenCalls: readonly AdCall[];
  readonly rounds: Round[];
}

/** Each build has the tables of its own migrations, or its event writer would fail and cost nothing. */
const migrateBy = async (dist: string, databaseUrl: string): Promise<void> => {
  const command = ['commands/migrate.js', 'migrate.js'].map((file) => path.join(dist, file)).find((file) => existsSync(file));
  if (command === undefined) throw new Error(`${dist} has no migrate.js`);
  await promisify(execFile)(process.execPath, [command], { env: { ...process.env, DATABASE_URL: databaseUrl } });
};

/**
 * This build against another one, each on its own database. In every round both start anew, because
 * what the compiler makes of one start differs by 15 % from the next; then they take turns, a second
 * each, because a shared machine is a third slower or faster a few seconds later.
 */
export const against = async (rig: Rig, other: string, { rounds, seconds }: Scale): Promise<Finding> => {
  const builds = [
    { name: 'other', dist: other },
    { name: 'this', dist: rig.dist },
  ] as const;
  const contestants: Contestant[] = [];
  for (const { name, dist } of builds) {
    const stage = await rig.stage(`against_${name}`, { lineItems: 1_000, publishers: 1, targeting: 'realistic' }, (url) =>
      migrateBy(dist, url),
    );
    const { publishers } = stage;
    const ads = callsFile(rig, `against-${name}`, adCalls({ publishers, calls: 16_384, seed: 11 }));
    const tokenCalls = adCalls({ publishers, calls: 512, seed: 13, imps: [IMPS], browser: PIXEL_BROWSER });
    contestants.push({ name, dist, stage, ads, tokenCalls, rounds: [] });
  }
  for (let round = 0; round < rounds; round++) {
    const services = new Map<Contestant, Server>();
    for (const contestant of contestants)
      services.set(contestant, await rig.startService(contestant.stage, { name: contestant.name, dist: contestant.dist }));
    const ads = await takeTurns(services, WARM_UP_SECONDS + seconds, ({ ads: file }, server) =>
      closedLoop(rig, { server, script: 'wrk-ads.lua', file, seconds: SLICE_SECONDS }),
    );
    const impressions = await takeTurns(services, 1 + seconds, async ({ name, tokenCalls }, server) => {
      const file = path.join(rig.stateDir, `paths-${name}`);
      writeFileSync(file, (await collectTokens(server, tokenCalls, MAX_IMPRESSIONS_A_SLICE)).join('\n') + '\n');
      await sleep(SETTLING_MS);
      const run = await closedLoop(rig, { server, script: 'wrk-paths.lua', file, seconds: SLICE_SECONDS });
      if (run.repeated > 0) throw new Error(`${run.repeated} impressions were sent twice: collect more tokens`);
      return run;
    });
    await sleep(1_000);
    const before = new Map([...services].map(([contestant, { pid }]) => [contestant, processCpuMicros(pid)]));
    await sleep(IDLE_SECONDS * 1_000);
    for (const [contestant, service] of services) {
      const idleCpu = (processCpuMicros(service.pid) - before.get(contestant)!) / (IDLE_SECONDS * 1e6);
      const ad = addUp(ads.get(contestant)!.slice(WARM_UP_SECONDS));
      const impression = addUp(impressions.get(contestant)!.slice(1));
      rig.say(
        `  ${contestant.name}: ad ${ad.cpuMicros.toFixed(1)} µs (Redis ${ad.redisMicros.toFixed(1)}), impression ${impression.cpuMicros.toFixed(1)} µs (Redis ${impression.redisMicros.toFixed(1)}), idle ${(100 * idleCpu).toFixed(1)} %`,
      );
      contestant.rounds.push({ ad, impression, idleCpu });
    }
    await rig.stop(...services.values());
  }

  const [before, after] = contestants as [Contestant, Contestant];
  /** The median over the rounds of this build's figure divided by the other's. */
  const ratio = (of: (round: Round) => number): number => median(after.rounds.map((round, i) => of(round) / of(before.rounds[i]!)));
  const row = (what: string, of: (round: Round) => number, digits: number): readonly string[] => [
    what,
    ...[before, after].map(({ rounds: own }) => (digits === 0 ? whole(median(own.map(of))) : median(own.map(of)).toFixed(digits))),
    ratio(of).toFixed(2),
  ];
  return {
    title: 'This build against another',
    text: tableOf(
      ['median', 'other', 'this', 'this ÷ other'],
      [
        row('`POST /ad`, requests/s', ({ ad }) => ad.perSecond, 0),
        row('`POST /ad`, server CPU µs', ({ ad }) => ad.cpuMicros, 1),
        row('`POST /ad`, Redis CPU µs', ({ ad }) => ad.redisMicros, 1),
        row('`GET /impression`, requests/s', ({ impression }) => impression.perSecond, 0),
        row('`GET /impression`, server CPU µs', ({ impression }) => impression.cpuMicros, 1),
        row('`GET /impression`, Redis CPU µs', ({ impression }) => impression.redisMicros, 1),
        row('idle, % of a core', ({ idleCpu }) => 100 * idleCpu, 2),
      ],
    ),
    goals: [
      atLeast('`POST /ad` of the other build, by CPU ÷ this', 0.98, 1 / ratio(({ ad }) => ad.cpuMicros)),
      atLeast('`GET /impression` of the other build, by CPU ÷ this', 0.98, 1 / ratio(({ impression }) => impression.cpuMicros)),
      atMost(
        'Redis CPU per ad ÷ that of the other build',
        1.1,
        ratio(({ ad }) => ad.redisMicros),
      ),
      atMost(
        'Redis CPU per impression ÷ that of the other build',
        1.1,
        ratio(({ impression }) => impression.redisMicros),
      ),
    ],
  };
};

/** A B, B A, A B, …: who goes second finds a warmer machine. */
const takeTurns = async <T>(
  services: ReadonlyMap<Contestant, Server>,
  turns: number,
  run: (contestant: Contestant, server: Server) => Promise<T>,
): Promise<ReadonlyMap<Contestant, readonly T[]>> => {
  const runs = new Map([...services.keys()].map((contestant): [Contestant, T[]] => [contestant, []]));
  for (let turn = 0; turn < turns; turn++)
    for (const [contestant, server] of turn % 2 === 0 ? services : [...services].toReversed())
      runs.get(contestant)!.push(await run(contestant, server));
  return runs;
};

const addUp = (runs: readonly Run[]): Slices => {
  const requests = runs.reduce((sum, run) => sum + run.requests, 0);
  const perRequest = (of: (run: Run) => number): number => runs.reduce((sum, run) => sum + of(run) * run.requests, 0) / requests;
  return {
    perSecond: requests / runs.reduce((sum, run) => sum + run.requests / run.perSecond, 0),
    cpuMicros: perRequest(({ cpuMicros }) => cpuMicros),
    redisMicros: perRequest(({ redisMicros }) => redisMicros),
  };
};
