import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Rig } from '../create-rig.ts';
import { atLeast, atMost, tableOf, whole, type Finding, type Scale } from '../finding.ts';
import { callsFile, closedLoop, type Run } from '../load.ts';
import { processCpuMicros } from '../process-cpu.ts';
import { median } from '../../testkit/statistics.ts';
import { adCalls } from '../traffic.ts';
import { collectTokens } from './pixels.ts';

const WARM_UP_SECONDS = 3;
const IDLE_SECONDS = 3;
const IMPRESSION_SECONDS = 3;
const MAX_IMPRESSIONS_PER_SECOND = 20_000;
const IMPS = 20;

interface Round {
  readonly ad: Run;
  readonly impression: Run;
  readonly idleCpu: number;
}

/** Each build has the tables of its own migrations, or its event writer would fail and cost nothing. */
const migrateBy = async (dist: string, databaseUrl: string): Promise<void> => {
  const command = ['commands/migrate.js', 'migrate.js'].map((file) => path.join(dist, file)).find((file) => existsSync(file));
  if (command === undefined) throw new Error(`${dist} has no migrate.js`);
  await promisify(execFile)(process.execPath, [command], { env: { ...process.env, DATABASE_URL: databaseUrl } });
};

/**
 * This build against another one, turn by turn, each on its own database. Every run has a new
 * process: what the compiler makes of one differs by 15 % from start to start. The ratio of each
 * round is taken from two runs a few seconds apart, so that a machine which slows down slows both.
 */
export const against = async (rig: Rig, other: string, { rounds, seconds }: Scale): Promise<Finding> => {
  const builds = [
    { name: 'other', dist: other },
    { name: 'this', dist: rig.dist },
  ] as const;
  const contestants = [];
  for (const { name, dist } of builds) {
    const stage = await rig.stage(`against_${name}`, { lineItems: 1_000, publishers: 1, targeting: 'realistic' }, (url) =>
      migrateBy(dist, url),
    );
    const ads = callsFile(rig, `against-${name}`, adCalls({ publishers: stage.publishers, calls: 16_384, seed: 11 }));
    const tokenCalls = adCalls({ publishers: stage.publishers, calls: 512, seed: 13, imps: [IMPS] });
    contestants.push({ name, dist, stage, ads, tokenCalls, pixels: path.join(rig.stateDir, `paths-${name}`), rounds: [] as Round[] });
  }
  for (let round = 0; round < rounds; round++) {
    // Who goes second finds a warmer machine: they take turns.
    for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed()) {
      const { name, dist, stage } = contestant;
      const service = await rig.startService(stage, { name, dist });
      await closedLoop(rig, { server: service, script: 'wrk-ads.lua', file: contestant.ads, seconds: WARM_UP_SECONDS });
      const ad = await closedLoop(rig, { server: service, script: 'wrk-ads.lua', file: contestant.ads, seconds });
      const paths = await collectTokens(service, contestant.tokenCalls, IMPRESSION_SECONDS * MAX_IMPRESSIONS_PER_SECOND);
      writeFileSync(contestant.pixels, paths.join('\n') + '\n');
      const impression = await closedLoop(rig, {
        server: service,
        script: 'wrk-paths.lua',
        file: contestant.pixels,
        seconds: IMPRESSION_SECONDS,
      });
      await sleep(1_000);
      const before = processCpuMicros(service.pid);
      await sleep(IDLE_SECONDS * 1_000);
      const idleCpu = (processCpuMicros(service.pid) - before) / (IDLE_SECONDS * 1e6);
      rig.say(
        `  ${name}: ad ${ad.cpuMicros.toFixed(1)} µs (Redis ${ad.redisMicros.toFixed(1)}), impression ${impression.cpuMicros.toFixed(1)} µs (Redis ${impression.redisMicros.toFixed(1)}), idle ${(100 * idleCpu).toFixed(1)} %`,
      );
      contestant.rounds.push({ ad, impression, idleCpu });
      await rig.stop(service);
    }
  }

  const [before, after] = contestants as [(typeof contestants)[0], (typeof contestants)[0]];
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
