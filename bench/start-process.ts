import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../src/embedded/free-port.ts';

/** A server under measurement. */
export interface ServerProcess {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
}

export interface ServerOptions {
  readonly name: string;
  /** Arguments of node: flags, script, its arguments. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Commands that run the one after them, in the same process: taskset and the like. */
  readonly through: readonly string[];
  /** Asked until it answers 200. */
  readonly readyPath?: string;
  readonly cwd: string;
}

const START_PATIENCE_MS = 60_000;
const STOP_PATIENCE_MS = 15_000;

/** Starts a Node server on a free port of 127.0.0.1, and waits until it accepts, or until it says that it is ready. */
export const startServer = async ({ name, args, env, through, readyPath, cwd }: ServerOptions): Promise<ServerProcess> => {
  const port = await freePort();
  // setpriv lets the kernel end it with this process, however that ends.
  const command = ['setpriv', '--pdeathsig', 'KILL', ...through, process.execPath, ...args];
  const child = spawn(command[0]!, command.slice(1), {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
    // Of a session of its own: a Ctrl-C reaches this program first, which stops what it has started in its order.
    detached: true,
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4_000)));
  await once(child, 'spawn');
  const url = `http://127.0.0.1:${port}`;
  const stop = () => stopProcess(child);
  const deadline = Date.now() + START_PATIENCE_MS;
  while (!(await isReady(port, readyPath))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error(`${name} did not start:\n${said}`);
    }
    await sleep(20);
  }
  return { name, pid: child.pid as number, port, url, stop };
};

const isReady = async (port: number, readyPath: string | undefined): Promise<boolean> => {
  if (readyPath === undefined) return accepts(port);
  try {
    const response = await fetch(`http://127.0.0.1:${port}${readyPath}`, { signal: AbortSignal.timeout(1_000) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    // Not yet: the caller asks again until its patience ends.
    return false;
  }
};

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const answer = (accepted: boolean): void => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', () => answer(true)).once('error', () => answer(false));
  });

const stopProcess = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const patience = setTimeout(() => child.kill('SIGKILL'), STOP_PATIENCE_MS);
  await ended;
  clearTimeout(patience);
};
