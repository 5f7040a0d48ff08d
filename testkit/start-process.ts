import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from '../src/embedded/free-port.ts';
import { untilTrue } from './until.ts';

export interface Process {
  readonly pid: number;
  /** Everything that it has written to its standard output and standard error. */
  output(): string;
  /** Exit code, or the signal's name; undefined while it runs. */
  ending(): number | string | undefined;
  /** Resolves when it has ended and its output is complete. */
  readonly ended: Promise<unknown>;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<void>;
}

export interface ProcessOptions {
  /** A program on the PATH, and its arguments. */
  readonly command: readonly string[];
  /** All of its environment but PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** A file descriptor for its output instead of `output()`. */
  readonly outputFd?: number;
}

/**
 * Starts a child process. The kernel ends it with this process, however this one ends. It has a session of its
 * own: Ctrl-C reaches only this process, which ends its children in order.
 */
export const startProcess = async ({ command, env, cwd, outputFd = NaN }: ProcessOptions): Promise<Process> => {
  const { PATH = '', HOME = '' } = process.env;
  const sink = Number.isNaN(outputFd) ? 'pipe' : outputFd;
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...command], {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', sink, sink],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
  await once(child, 'spawn');
  const ended = once(child, 'close');
  const ending = () => child.signalCode ?? child.exitCode ?? undefined;
  return {
    pid: child.pid as number,
    output: () => output,
    ending,
    ended,
    end: async (signal) => {
      if (ending() === undefined) child.kill(signal);
      await ended;
    },
  };
};

/** A process that serves HTTP on 127.0.0.1. */
export interface Server extends Process {
  readonly name: string;
  readonly port: number;
  /** Without a trailing slash. */
  readonly url: string;
  /** SIGTERM, and SIGKILL after 30 s. */
  stop(): Promise<void>;
}

export interface ServerOptions extends ProcessOptions {
  readonly name: string;
  /** Passed as PORT. Default: a free one. */
  readonly port?: number | undefined;
  /** Requested until it answers 200. Default: the server is ready when it accepts a connection. */
  readonly readyPath?: string;
  readonly readyWithinMs?: number;
}

/** One question whether a server is ready. Where it is asked beside a load, an answer within a second is not to be had. */
const ASKED_MS = 10_000;
/** Longer than the limit that a replica sets itself: its drain time and 14.5 s. */
const MAX_STOP_MS = 30_000;

/** Starts a server and waits until it is ready. @throws with its output when it ends or is not ready in time */
export const startServer = async (options: ServerOptions): Promise<Server> => {
  const { name, readyPath, readyWithinMs = 120_000, env, port = await freePort() } = options;
  const server = await startProcess({ ...options, env: { HOST: '127.0.0.1', ...env, PORT: String(port) } });
  const url = `http://127.0.0.1:${port}`;
  const isReady = () => (readyPath === undefined ? accepts(port) : isOk(url + readyPath));
  const hasEnded = () => server.ending() !== undefined;
  await untilTrue(async () => hasEnded() || (await isReady()), readyWithinMs, 20);
  if (hasEnded() || !(await isReady())) {
    const state = server.ending() ?? `is not ready after ${readyWithinMs / 1000} s: ${await lastAnswer(url + (readyPath ?? ''))}`;
    await server.end('SIGKILL');
    const said = server.output().trim();
    throw new Error(`${name} did not start (${state}): ${said.split('\n').at(-1)}\n${said}`);
  }
  return {
    ...server,
    name,
    port,
    url,
    stop: async () => {
      const patience = setTimeout(() => void server.end('SIGKILL'), MAX_STOP_MS);
      await server.end('SIGTERM');
      clearTimeout(patience);
    },
  };
};

const lastAnswer = (url: string): Promise<string> =>
  fetch(url, { signal: AbortSignal.timeout(ASKED_MS) }).then(
    async (answer) => `${answer.status} ${(await answer.text()).slice(0, 500)}`,
    (error: unknown) => String(error),
  );

const isOk = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(ASKED_MS) }).then(
    async (answer) => {
      await answer.body?.cancel();
      return answer.status === 200;
    },
    () => false,
  );

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const answer = (accepted: boolean): void => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', () => answer(true)).once('error', () => answer(false));
  });
