import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/embedded/free-port.ts';

const MAIN = path.resolve(__dirname, '../../dist/main.js');
const DEFAULTS = { HOST: '127.0.0.1', TOKEN_SECRET: 'the token secret of every test replica', DRAIN_TIME: '100ms' };

export interface Replica {
  /** Without a trailing slash. */
  readonly url: string;
  readonly pid: number;
  /** Everything it has written so far. */
  logs(): string;
  /** Sends a signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** SIGTERM, and waits until it has drained. Rejects with its log when it does not exit with 0. */
  stop(): Promise<void>;
}

export interface ReplicaOptions {
  /** DATABASE_URL and REDIS_URL at least, from `testDatabase` and `testRedisUrl`. */
  readonly env: Readonly<Record<string, string>>;
  readonly readyWithinMs?: number;
}

const replicas = new Set<Replica>();
afterAll(() => Promise.all([...replicas].map((replica) => replica.kill('SIGKILL'))));

/**
 * Runs the built service as a process of its own on a free port and waits until /ready answers 200. It ends with the test file at the latest.
 * @throws with its log when it ends or does not become ready
 */
export async function startReplica({ env, readyWithinMs = 20_000 }: ReplicaOptions): Promise<Replica> {
  if (!existsSync(MAIN)) throw new Error('dist/main.js is not there: run the tests with "npm test", or "npm run build" first.');
  const port = env['PORT'] ?? String(await freePort());
  const own = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };
  const service = spawn('setpriv', ['--pdeathsig', 'KILL', process.execPath, MAIN], {
    env: { ...own, ...DEFAULTS, ...env, PORT: port },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let logs = '';
  for (const stream of [service.stdout, service.stderr]) stream.on('data', (chunk) => (logs += String(chunk)));
  await once(service, 'spawn');
  const ended = once(service, 'close');
  const hasEnded = () => service.exitCode !== null || service.signalCode !== null;

  const replica: Replica = {
    url: `http://127.0.0.1:${port}`,
    pid: service.pid!,
    logs: () => logs,
    kill: async (signal) => {
      service.kill(signal);
      await ended;
      replicas.delete(replica);
    },
    stop: async () => {
      await replica.kill('SIGTERM');
      if (service.exitCode !== 0) throw new Error(`The replica ended with ${service.signalCode ?? service.exitCode}:\n${logs}`);
    },
  };
  replicas.add(replica);

  const deadline = Date.now() + readyWithinMs;
  while (!(await isReady(replica.url))) {
    if (hasEnded()) {
      await ended;
      throw new Error(`The replica ended with ${service.signalCode ?? service.exitCode} before it was ready:\n${logs}`);
    }
    if (Date.now() > deadline) {
      await replica.kill('SIGKILL');
      throw new Error(`The replica was not ready after ${readyWithinMs / 1000} s:\n${logs}`);
    }
    await sleep(25);
  }
  return replica;
}

function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/ready`, { signal: AbortSignal.timeout(1000) }).then(
    (answer) => answer.status === 200,
    () => false,
  );
}
