import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Rig } from './create-rig.ts';
import { childrenOf, processCpuMicros } from '../testkit/process-cpu.ts';
import { weighProcess } from '../testkit/weigh-process.ts';
import { median } from '../testkit/statistics.ts';
import type { Server } from '../testkit/start-process.ts';
import { PIXEL_BROWSER, type AdCall } from './traffic.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export const CONNECTIONS = 64;
/** Below Redis, above Postgres: all three share a core. */
const GENERATOR_PRIORITY = 10;
const POSTGRES_PRIORITY = 19;

/** One run of a closed loop. */
export interface Run {
  readonly perSecond: number;
  /** CPU time of the server process per request. */
  readonly cpuMicros: number;
  /** CPU time of Redis per request. */
  readonly redisMicros: number;
  /** Answered while it was counted. */
  readonly requests: number;
  /** In all, with the warm-up of the generator. */
  readonly sent: number;
  readonly bytesPerAnswer: number;
  readonly p99Ms: number;
}

export interface ClosedLoop {
  readonly server: Server;
  /** Ad requests, or paths that are got once each. */
  readonly kind: 'ads' | 'paths';
  /** What the generator reads: see closed-loop.mjs. */
  readonly file: string;
  readonly seconds: number;
  readonly connections?: number;
  /** Where ad requests are posted; default `/ad`. */
  readonly path?: string;
  /** Default true; false: the generator sleeps, because several of them share a core. */
  readonly polls?: boolean;
}

interface ClosedLoopSummary {
  readonly requests: number;
  readonly sent: number;
  readonly micros: number;
  readonly bytes: number;
  readonly errors: number;
  readonly p99: number;
  readonly repeated: number;
}

let seed = 0;

/** A load generator, in a session of its own: Linux weighs sessions before the processes in them. */
const startGenerator = (rig: Rig, script: string, options: object, seconds: number): ChildProcessByStdio<null, Readable, null> => {
  // Where it has no control group (create-rig.ts): those of its processes that are there now.
  for (const pid of [rig.postgresPid, ...childrenOf(rig.postgresPid).keys()]) weighProcess(pid, POSTGRES_PRIORITY);
  const generator = spawn(process.execPath, [here(script), JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: (seconds + 60) * 1000,
    detached: true,
  });
  weighProcess(generator.pid!, GENERATOR_PRIORITY);
  return generator;
};

/** Every connection sends its next request when it has the answer; see closed-loop.mjs. @throws when an answer was not a success */
export const closedLoop = async (rig: Rig, { server, seconds, ...load }: ClosedLoop): Promise<Run & { readonly repeated: number }> => {
  const options = {
    ...load,
    port: server.port,
    seconds,
    connections: load.connections ?? CONNECTIONS,
    browser: PIXEL_BROWSER,
    seed: ++seed,
  };
  const generator = startGenerator(rig, 'closed-loop.mjs', options, seconds);
  const cpuMicros = () => [processCpuMicros(server.pid), processCpuMicros(rig.redisPid)] as const;
  let before: ReturnType<typeof cpuMicros> | undefined;
  for await (const line of createInterface(generator.stdout)) {
    if (line === 'counting') {
      before = cpuMicros();
      continue;
    }
    const after = cpuMicros();
    const { requests, sent, micros, bytes, errors, p99, repeated } = JSON.parse(line) as ClosedLoopSummary;
    if (errors > requests / 1000 || requests === 0) throw new Error(`${server.name}: ${errors} of ${requests} requests failed`);
    return {
      perSecond: requests / (micros / 1e6),
      cpuMicros: (after[0] - before![0]) / requests,
      redisMicros: (after[1] - before![1]) / requests,
      requests,
      sent,
      bytesPerAnswer: bytes / requests,
      p99Ms: p99 / 1000,
      repeated,
    };
  }
  throw new Error(`${server.name}: the load generator has ended without figures`);
};

/** Rounds of A B C, A B C, …, after one unmeasured round in which everything gets warm. */
export const interleave = async <Name extends string>(
  names: readonly Name[],
  rounds: number,
  measure: (name: Name, warmUp: boolean) => Promise<Run>,
): Promise<Record<Name, Run>> => {
  const runs = new Map<Name, Run[]>(names.map((name) => [name, []]));
  for (const name of names) await measure(name, true);
  for (let round = 0; round < rounds; round++) for (const name of names) runs.get(name)?.push(await measure(name, false));
  return Object.fromEntries(names.map((name) => [name, medianRun(runs.get(name) ?? [])])) as Record<Name, Run>;
};

const medianRun = (runs: readonly Run[]): Run => {
  const of = (field: keyof Run): number => median(runs.map((one) => one[field]));
  return {
    perSecond: of('perSecond'),
    cpuMicros: of('cpuMicros'),
    redisMicros: of('redisMicros'),
    requests: of('requests'),
    sent: of('sent'),
    bytesPerAnswer: of('bytesPerAnswer'),
    p99Ms: of('p99Ms'),
  };
};

/** One request of an open loop. */
export interface Sample {
  readonly kind: 'ad' | 'impression';
  /** Epoch milliseconds. */
  readonly dueMs: number;
  readonly latencyMs: number;
}

export interface OpenLoop {
  readonly server: Server;
  readonly file: string;
  readonly perSecond: number;
  readonly seconds: number;
  /** Share of ads whose impression is requested. */
  readonly follow?: number;
  /** Default true; false: the generator rests between its looks, because Postgres has work to do on its core. */
  readonly polls?: boolean;
}

export interface OpenRun {
  readonly samples: readonly Sample[];
  /** The share of a core that the server used, with the generator's warm-up. */
  readonly busy: number;
}

const OPEN_WARM_UP_SECONDS = 2;

/** Requests at moments drawn beforehand; see open-loop.mjs. @throws when a request failed or was never answered */
export const openLoop = async (rig: Rig, { server, file, perSecond, seconds, follow = 0, polls = true }: OpenLoop): Promise<OpenRun> => {
  const out = path.join(rig.stateDir, 'samples');
  const options = { port: server.port, rate: perSecond, seconds, file, follow, polls, warmUp: OPEN_WARM_UP_SECONDS, out, seed: ++seed };
  const before = processCpuMicros(server.pid);
  const said = await text(startGenerator(rig, 'open-loop.mjs', options, seconds).stdout);
  if (said === '') throw new Error(`${server.name}: the load generator has ended without figures`);
  const { sent, errors } = JSON.parse(said) as { sent: number; errors: number };
  if (errors > sent / 1000) throw new Error(`${server.name}: ${errors} of ${sent} requests failed at ${Math.round(perSecond)} a second`);
  const busy = (processCpuMicros(server.pid) - before) / 1e6 / (OPEN_WARM_UP_SECONDS + seconds);
  const bytes = readFileSync(out);
  const numbers = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  const samples = Array.from({ length: numbers.length / 3 }, (_, i): Sample => ({
    kind: numbers[3 * i]! === 0 ? 'ad' : 'impression',
    dueMs: numbers[3 * i + 1]!,
    latencyMs: numbers[3 * i + 2]!,
  }));
  return { samples, busy };
};

/**
 * The rate at which a server uses a share of its core. What a closed loop reaches says little of it: there the requests of
 * 64 connections share each turn of the server, and cost half of what they cost when they come one by one.
 *
 * @param trials each brings it nearer
 */
export const rateOfShare = async (rig: Rig, share: number, load: Omit<OpenLoop, 'perSecond' | 'seconds'>, trials = 3): Promise<number> => {
  const { perSecond: most } = await closedLoop(rig, { server: load.server, kind: 'ads', file: load.file, seconds: 4 });
  let perSecond = (share * most) / 2;
  for (let trial = 0; trial < trials; trial++) {
    const { busy } = await openLoop(rig, { ...load, perSecond, seconds: 1 });
    perSecond = nearerTo(share, { perSecond, busy });
  }
  return perSecond;
};

/** The next rate to try after a run. */
export const nearerTo = (share: number, { perSecond, busy }: { readonly perSecond: number; readonly busy: number }): number =>
  perSecond * Math.min(2, Math.max(0.5, share / busy));

/** Writes calls as the load generators read them. */
export const callsFile = (rig: Rig, name: string, calls: readonly AdCall[]): string => {
  const file = path.join(rig.stateDir, `calls-${name}`);
  writeFileSync(file, calls.map(({ apiKey, body }) => `${apiKey}\t${body}\n`).join(''));
  return file;
};
