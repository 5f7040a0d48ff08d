import { ChildProcess } from 'node:child_process';
import { Server, Socket } from 'node:net';
import { TestEnvironment } from 'jest-environment-node';
import { activeHandles, openWorkerBrowser } from './worker-browser.ts';

type Timer = ReturnType<typeof setTimeout>;
type Schedule = (work: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => Timer;
type Cancel = (timer: Timer | undefined) => void;

/**
 * Closes what a test file has left open: servers, connections, child processes and timers. A test that
 * fails, or a `beforeAll` that throws, skips the lines that would have closed them, and jest would wait
 * for them for ever. Only the browser stays, which keeps nothing running. Clients that reconnect find that their timers no longer run.
 */
export default class ClosingEnvironment extends TestEnvironment {
  readonly #timers = new Set<Timer>();
  readonly #before = new Set<unknown>();
  #ended = false;

  override async setup(): Promise<void> {
    await super.setup();
    for (const handle of activeHandles()) this.#before.add(handle);
    this.global.openWorkerBrowser = openWorkerBrowser;
    const scope = this.global as unknown as Record<'setTimeout' | 'setInterval', Schedule> &
      Record<'clearTimeout' | 'clearInterval', Cancel>;
    scope.setTimeout = this.#tracked(scope.setTimeout, (timer) => this.#timers.delete(timer));
    scope.setInterval = this.#tracked(scope.setInterval, () => undefined);
    scope.clearTimeout = scope.clearInterval = (timer) => {
      if (timer !== undefined) this.#timers.delete(timer);
      clearTimeout(timer);
    };
  }

  override async teardown(): Promise<void> {
    this.#ended = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const handle of activeHandles()) if (!this.#before.has(handle)) close(handle);
    await super.teardown();
  }

  #tracked(schedule: Schedule, onRun: (timer: Timer) => void): Schedule {
    const tracked: Schedule = (work, ms, ...args) => {
      const run = (...given: unknown[]): void => {
        onRun(timer);
        work(...given);
      };
      const timer: Timer = schedule(run, ms, ...args);
      if (this.#ended) clearTimeout(timer);
      else this.#timers.add(timer);
      return timer;
    };
    // util.promisify finds the promise form of setTimeout here.
    Object.defineProperties(tracked, Object.getOwnPropertyDescriptors(schedule));
    return tracked;
  }
}

const close = (handle: unknown): void => {
  if (handle instanceof ChildProcess) handle.kill('SIGKILL');
  else if (handle instanceof Server) handle.close();
  else if (handle instanceof Socket && !STANDARD.has(handle)) handle.destroy();
};

const STANDARD = new Set<Socket>([process.stdin, process.stdout, process.stderr]);
