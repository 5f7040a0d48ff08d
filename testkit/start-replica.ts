import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer, type Server } from './start-process.ts';
import { untilTrue } from './until.ts';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));

/** One replica of the built service at one address, over all its restarts. */
export interface Replica {
  readonly port: number;
  /** Without a trailing slash. */
  readonly url: string;
  pid(): number;
  /** What it has written since its first start. */
  logs(): string;
  /** Waits until it has written this. @throws with its log when it does not within 10 s */
  logged(pattern: RegExp): Promise<RegExpExecArray>;
  /** How often it has ended without a signal from here. */
  crashes(): number;
  /** Sends a signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** SIGTERM, and waits until it has drained. @throws with its log when it does not exit with 0 */
  stop(): Promise<void>;
  /** Starts it again at the same address; resolves when it is ready. */
  start(): Promise<void>;
}

/** On a busy machine a load may take longer than a replica waits for it (5 s). */
const RELOAD_TRIES = 30;

/** Reloads the catalog on each. @throws when one does not answer 204 */
export const reloadAll = async (replicas: readonly Pick<Replica, 'url'>[]): Promise<void> => {
  for (const { url } of replicas) {
    let status = 0;
    for (let tries = 0; tries < RELOAD_TRIES && status !== 204; tries++) status = (await fetch(`${url}/reload`, { method: 'POST' })).status;
    if (status !== 204) throw new Error(`POST /reload answered ${status}`);
  }
};

export interface ReplicaOptions {
  /** DATABASE_URL and REDIS_URL at least. */
  readonly env: Readonly<Record<string, string>>;
  /** Default: a free one. */
  readonly port?: number | undefined;
  readonly readyWithinMs?: number;
  /** The build; default: this checkout's. */
  readonly dist?: string | undefined;
  readonly nodeFlags?: readonly string[];
  /** The program of Node; default: the one that runs this. */
  readonly node?: string | undefined;
}

/** Starts a replica on a free port and waits until /ready answers 200. @throws with its log when that does not happen */
export const startReplica = async ({
  env,
  port: wanted,
  readyWithinMs = 120_000,
  dist = DIST,
  nodeFlags = [],
  node = process.execPath,
}: ReplicaOptions): Promise<Replica> => {
  const main = path.join(dist, 'main.js');
  if (!existsSync(main)) throw new Error(`${main} is missing: run "npm run build" first.`);
  const launch = (port: number | undefined): Promise<Server> =>
    startServer({
      name: 'the replica',
      command: [node, ...nodeFlags, main],
      env,
      port,
      readyPath: '/ready',
      readyWithinMs,
    });
  let server = await launch(wanted);
  const { port, url } = server;
  let signalled = false;
  let earlierLogs = '';
  let crashes = 0;
  const hasCrashed = () => server.ending() !== undefined && !signalled;
  const beforeSignal = (): void => {
    if (hasCrashed()) crashes++;
    signalled = true;
  };
  const logs = (): string => earlierLogs + server.output();
  return {
    port,
    url,
    pid: () => server.pid,
    logs,
    logged: async (pattern) => {
      await untilTrue(() => pattern.test(logs()), 10_000, 20);
      const found = pattern.exec(logs());
      if (!found) throw new Error(`The replica has not logged ${String(pattern)}:\n${logs()}`);
      return found;
    },
    crashes: () => crashes + (hasCrashed() ? 1 : 0),
    kill: (signal) => {
      beforeSignal();
      return server.end(signal);
    },
    stop: async () => {
      beforeSignal();
      await server.stop();
      if (server.ending() !== 0) throw new Error(`The replica ended with ${server.ending()}:\n${server.output()}`);
    },
    start: async () => {
      earlierLogs += server.output();
      server = await launch(port);
      signalled = false;
    },
  };
};
