import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { becomeArguments, type StoreAccount } from './store-folder.ts';

export interface StoreCommand {
  /** For messages: 'Postgres', 'Redis'. */
  readonly name: string;
  /** The folder of data, log and lock. */
  readonly folder: string;
  readonly account: StoreAccount | null;
  readonly command: string;
  readonly args: readonly string[];
  /** The signal that stops the store, also sent when this process dies. */
  readonly stopSignal: 'SIGINT' | 'SIGTERM';
  readonly isReady: (pid: number) => Promise<boolean>;
}

export interface StoreProcess {
  /** Stops the store and waits for its exit. Safe to call twice. */
  stop(): Promise<void>;
}

/** Another process took the port after it was chosen: choose another. */
export const PORT_TAKEN = Symbol('port taken');

const MAX_LOG_BYTES = 1024 * 1024;
const LOCK_HELD = 75;
/**
 * A store whose service was killed needs time for its shutdown checkpoint; a real conflict should
 * still be reported soon.
 */
const LOCK_WAIT_S = 3;
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;

/**
 * Starts a store as a child that cannot outlive this process, and waits until it is ready.
 *
 * - `flock` keeps the folder's lock in the store's process, so that two services cannot use the
 *   same data.
 * - `setpriv --pdeathsig` makes the kernel stop the store when this process dies, even by SIGKILL.
 *   It applies to the *thread* that spawned: call this from the main thread only.
 * - A separate session keeps a Ctrl-C in the terminal from stopping the store before the service
 *   has shut down.
 */
export async function spawnStore(store: StoreCommand): Promise<StoreProcess | typeof PORT_TAKEN> {
  const logFile = path.join(store.folder, 'log');
  const log = await open(logFile, 'a', 0o644);
  if ((await log.stat()).size > MAX_LOG_BYTES) await log.truncate();
  const logStart = (await log.stat()).size;
  const lock = ['--no-fork', '--wait', String(LOCK_WAIT_S), '--conflict-exit-code', String(LOCK_HELD), path.join(store.folder, 'lock')];
  const guard = ['setpriv', ...becomeArguments(store.account), '--pdeathsig', store.stopSignal.replace('SIG', '')];
  const child = spawn('flock', [...lock, ...guard, store.command, ...store.args], {
    cwd: store.folder,
    detached: true,
    env: { PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin', LANG: 'C', TZ: 'UTC' },
    stdio: ['ignore', log.fd, log.fd],
  });
  try {
    await once(child, 'spawn');
  } catch (cause) {
    throw new Error('The embedded stores need flock and setpriv (Debian: util-linux). Or set DATABASE_URL and REDIS_URL.', { cause });
  } finally {
    await log.close();
  }
  const pid = child.pid as number;
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;

  const stop = async (): Promise<void> => {
    if (hasEnded()) return;
    const ended = once(child, 'exit');
    child.kill(store.stopSignal);
    const kill = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(kill);
  };

  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await store.isReady(pid))) {
    if (hasEnded()) {
      if (child.exitCode === LOCK_HELD) {
        throw new Error(`${store.folder} is in use by another running service. Stop that service, or set another STATE_DIR for this one.`);
      }
      const output = (await readFile(logFile)).subarray(logStart).toString().trim();
      if (/address already in use/i.test(output)) return PORT_TAKEN;
      throw new Error(
        `${store.name} did not start (${child.signalCode ?? `exit code ${child.exitCode}`}). The end of ${logFile}:\n${lastLines(output)}`,
      );
    }
    if (Date.now() > deadline) {
      await stop();
      throw new Error(`${store.name} was not ready after ${START_TIMEOUT_MS / 1000} s. See ${logFile}.`);
    }
    await sleep(10);
  }
  return { stop };
}

function lastLines(text: string): string {
  return text.split('\n').slice(-8).join('\n');
}
