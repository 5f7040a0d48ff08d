import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Rig, Stage } from '../create-rig.ts';
import { tableOf, whole, type Scale } from '../finding.ts';
import { callsFile, closedLoop, type Run } from '../load.ts';
import { processCpuMicros, processRssBytes } from '../../testkit/process-cpu.ts';
import { median } from '../../testkit/statistics.ts';
import type { Server } from '../../testkit/start-process.ts';
import { adCalls, PIXEL_BROWSER, type AdCall } from '../traffic.ts';
import { untilStored } from '../until-stored.ts';
import { collectTokens } from './pixels.ts';

const WARM_UP_SECONDS = 3;
const IDLE_SECONDS = 3;
const SLICE_SECONDS = 1;
/** What the collected ads leave to do (their counts) is not charged to the impressions; what these leave (their events) is, apart. */
const SETTLING_MS = 1_500;
const MAX_IMPRESSIONS_A_SLICE = 40_000;
const IMPS = 20;

/** What one start has done, over all its slices. */
export interface Round {
  readonly ad: Slices;
  readonly impression: Slices;
  /** CPU time of the service for an impression until its event is stored. */
  readonly storedMicros: number;
  readonly idleCpu: number;
  readonly residentBytes: number;
}

type Slices = Pick<Run, 'perSecond' | 'cpuMicros' | 'redisMicros'>;

/** A build, a version of Node or a flag that takes part. */
export interface Entry {
  readonly name: string;
  /** Default: the rig's own build. */
  readonly dist?: string;
  /** The program that runs it; default: the Node of this process. */
  readonly program?: string;
  /** In addition to the rig's own. */
  readonly nodeFlags?: readonly string[];
}

export interface Contestant {
  readonly entry: Entry;
  readonly stage: Stage;
  /** File of ad requests. */
  readonly ads: string;
  /** Requests whose ads are rendered. */
  readonly tokenCalls: readonly AdCall[];
  readonly rounds: Round[];
}

/** Each build has the tables of its own migrations, or its event writer would fail and cost nothing. */
export const migrateBy = async (dist: string, databaseUrl: string): Promise<void> => {
  const command = ['commands/migrate.js', 'migrate.js'].map((file) => path.join(dist, file)).find((file) => existsSync(file));
  if (command === undefined) throw new Error(`${dist} has no migrate.js`);
  await promisify(execFile)(process.execPath, [command], { env: { ...process.env, DATABASE_URL: databaseUrl } });
};

/**
 * Builds, versions of Node or flags against each other, each on its own database. In every round all start anew,
 * because what the compiler makes of one start differs by 15 % from the next; then they take turns, a second each,
 * because a shared machine is a third slower or faster a few seconds later. Ends early when a round leaves `isEnough`.
 */
export const contest = async (
  rig: Rig,
  entries: readonly Entry[],
  { rounds, seconds }: Scale,
  isEnough: (contestants: readonly Contestant[]) => boolean = () => false,
): Promise<readonly Contestant[]> => {
  const contestants: Contestant[] = [];
  for (const [i, entry] of entries.entries()) {
    const stage = await rig.stage(`contest_${i}`, { lineItems: 1_000, publishers: 1, targeting: 'realistic' }, (url) =>
      migrateBy(entry.dist ?? rig.dist, url),
    );
    const { publishers } = stage;
    const ads = callsFile(rig, `contest-${i}`, adCalls({ publishers, calls: 16_384, seed: 11 }));
    const tokenCalls = adCalls({ publishers, calls: 512, seed: 13, imps: [IMPS], browser: PIXEL_BROWSER });
    contestants.push({ entry, stage, ads, tokenCalls, rounds: [] });
  }
  for (let round = 0; round < rounds; round++) {
    const services = new Map<Contestant, Server>();
    for (const contestant of contestants) services.set(contestant, await rig.startService(contestant.stage, contestant.entry));
    const ads = await takeTurns(services, WARM_UP_SECONDS + seconds, ({ ads: file }, server) =>
      closedLoop(rig, { server, kind: 'ads', file, seconds: SLICE_SECONDS }),
    );
    const impressions = await takeTurns(services, 1 + seconds, async ({ stage, tokenCalls }, server) => {
      const file = path.join(rig.stateDir, 'paths-contest');
      writeFileSync(file, (await collectTokens(server, tokenCalls, MAX_IMPRESSIONS_A_SLICE)).join('\n') + '\n');
      await sleep(SETTLING_MS);
      const before = processCpuMicros(server.pid);
      const run = await closedLoop(rig, { server, kind: 'paths', file, seconds: SLICE_SECONDS });
      if (run.repeated > 0) throw new Error(`${run.repeated} impressions were sent twice: collect more tokens`);
      await sleep(SETTLING_MS);
      await untilStored(stage.redis);
      return { ...run, storedMicros: processCpuMicros(server.pid) - before };
    });
    const before = new Map([...services].map(([contestant, { pid }]) => [contestant, processCpuMicros(pid)]));
    await sleep(IDLE_SECONDS * 1_000);
    for (const [contestant, { pid }] of services) {
      const idleCpu = (processCpuMicros(pid) - before.get(contestant)!) / (IDLE_SECONDS * 1e6);
      const ad = addUp(ads.get(contestant)!.slice(WARM_UP_SECONDS));
      const slices = impressions.get(contestant)!.slice(1);
      const impression = addUp(slices);
      const storedMicros = sumOf(slices, (slice) => slice.storedMicros) / sumOf(slices, ({ sent }) => sent);
      rig.say(
        `  ${contestant.entry.name}: ad ${ad.cpuMicros.toFixed(1)} µs (Redis ${ad.redisMicros.toFixed(1)}), impression ${impression.cpuMicros.toFixed(1)} µs (Redis ${impression.redisMicros.toFixed(1)}), ${storedMicros.toFixed(1)} until stored, idle ${(100 * idleCpu).toFixed(1)} %`,
      );
      contestant.rounds.push({ ad, impression, storedMicros, idleCpu, residentBytes: processRssBytes(pid) });
    }
    await rig.stop(...services.values());
    if (isEnough(contestants)) break;
  }
  return contestants;
};

interface Rounds<T> {
  readonly rounds: readonly T[];
}

/** A figure of a round, as tables show it. */
export interface Column<T> {
  readonly head: string;
  readonly of: (round: T) => number;
  readonly show: (value: number) => string;
}

/** The median over the rounds of one's figure divided by another's of the same round. */
export const ratioOf = <T>(one: Rounds<T>, other: Rounds<T>, of: (round: T) => number): number =>
  median(one.rounds.map((round, i) => of(round) / of(other.rounds[i]!)));

const COLUMNS: readonly Column<Round>[] = [
  { head: '`POST /ad`, requests/s', of: ({ ad }) => ad.perSecond, show: whole },
  { head: 'CPU µs', of: ({ ad }) => ad.cpuMicros, show: (value) => value.toFixed(1) },
  { head: 'Redis CPU µs', of: ({ ad }) => ad.redisMicros, show: (value) => value.toFixed(1) },
  { head: '`GET /impression`, requests/s', of: ({ impression }) => impression.perSecond, show: whole },
  { head: 'CPU µs', of: ({ impression }) => impression.cpuMicros, show: (value) => value.toFixed(1) },
  { head: 'Redis CPU µs', of: ({ impression }) => impression.redisMicros, show: (value) => value.toFixed(1) },
  { head: 'CPU µs until stored', of: ({ storedMicros }) => storedMicros, show: (value) => value.toFixed(1) },
  { head: 'idle, % of a core', of: ({ idleCpu }) => 100 * idleCpu, show: (value) => value.toFixed(2) },
  { head: 'resident MB', of: ({ residentBytes }) => residentBytes / 1e6, show: whole },
];

export const contestTable = (contestants: readonly Contestant[]): string =>
  roundsTable(
    COLUMNS,
    contestants.map(({ entry: { name }, rounds }) => ({ name, rounds })),
  );

/** The medians of each, and the ratios of all to the first. */
export const roundsTable = <T>(columns: readonly Column<T>[], all: readonly (Rounds<T> & { readonly name: string })[]): string => {
  const [first, ...others] = all;
  if (first === undefined) throw new Error('There is nothing to compare');
  return tableOf(
    ['median', ...columns.map(({ head }) => head)],
    [
      ...all.map(({ name, rounds }) => [name, ...columns.map(({ of, show }) => show(median(rounds.map(of))))]),
      ...others.map((other) => [`${other.name} ÷ ${first.name}`, ...columns.map(({ of }) => ratioOf(other, first, of).toFixed(2))]),
    ],
  );
};

/** A B, B A, A B, …: who goes second finds a warmer machine. */
export const inTurns = async <T>(all: readonly T[], turns: number, run: (one: T) => Promise<unknown>): Promise<void> => {
  for (let turn = 0; turn < turns; turn++) for (const one of turn % 2 === 0 ? all : all.toReversed()) await run(one);
};

const takeTurns = async <T>(
  services: ReadonlyMap<Contestant, Server>,
  turns: number,
  run: (contestant: Contestant, server: Server) => Promise<T>,
): Promise<ReadonlyMap<Contestant, readonly T[]>> => {
  const runs = new Map([...services.keys()].map((contestant): [Contestant, T[]] => [contestant, []]));
  await inTurns([...services], turns, async ([contestant, server]) => runs.get(contestant)!.push(await run(contestant, server)));
  return runs;
};

const sumOf = <T>(all: readonly T[], of: (one: T) => number): number => all.reduce((sum, one) => sum + of(one), 0);

const addUp = (runs: readonly Run[]): Slices => {
  const requests = sumOf(runs, (run) => run.requests);
  const perRequest = (of: (run: Run) => number): number => sumOf(runs, (run) => of(run) * run.requests) / requests;
  return {
    perSecond: requests / sumOf(runs, (run) => run.requests / run.perSecond),
    cpuMicros: perRequest(({ cpuMicros }) => cpuMicros),
    redisMicros: perRequest(({ redisMicros }) => redisMicros),
  };
};
