import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProcess, type Process } from './start-process.ts';
import { untilTrue } from './until-true.ts';

const MAIN = path.join(fileURLToPath(new URL('..', import.meta.url)), 'dist', 'main.js');
const READY_PATIENCE_MS = 30_000;

/** One replica at one address, through all its lives. */
export interface Replica {
  readonly url: string;
  readonly port: number;
  pid(): number;
  /** What it wrote, in this life and the ones before. */
  logs(): string;
  /** How often it ended without being told to. */
  crashes(): number;
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Starts it anew; resolves once it is ready. */
  start(): Promise<void>;
}

export const startReplica = async (port: number, env: Readonly<Record<string, string>>): Promise<Replica> => {
  const url = `http://127.0.0.1:${port}`;
  let life: Process;
  let told = false;
  let before = '';
  let crashes = 0;

  const start = async (): Promise<void> => {
    told = false;
    life = await startProcess(process.execPath, ['--enable-source-maps', MAIN], {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      HOST: '127.0.0.1',
      PORT: String(port),
      ...env,
    });
    const ready = await untilTrue(() => life.hasEnded() || isReady(url), READY_PATIENCE_MS, 25);
    if (ready === undefined || life.hasEnded()) throw new Error(`A replica did not become ready:\n${life.output()}`);
  };
  await start();

  return {
    url,
    port,
    pid: () => life.pid,
    logs: () => before + life.output(),
    crashes: () => crashes + (life.hasEnded() && !told ? 1 : 0),
    kill: async (signal) => {
      if (life.hasEnded() && !told) crashes++;
      told = true;
      await life.end(signal);
      if (signal === 'SIGTERM' && life.ending() !== 0) throw new Error(`A replica ended with ${life.ending()} when it was asked to stop.`);
    },
    start: async () => {
      before += life.output();
      await start();
    },
  };
};

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/ready`, { signal: AbortSignal.timeout(1000) }).then(
    ({ status }) => status === 200,
    () => false,
  );
