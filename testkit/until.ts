import { setTimeout as sleep } from 'node:timers/promises';

/** How long a test waits for what happens soon: far longer than it takes, since a busy machine is no fault. */
export const PATIENCE_MS = 60_000;

/**
 * Repeats a check every `everyMs` until it returns true.
 * @returns how long that took in ms; undefined when `patienceMs` has passed
 */
export const untilTrue = async (check: () => Promise<boolean> | boolean, patienceMs: number, everyMs = 50): Promise<number | undefined> => {
  const begun = performance.now();
  for (;;) {
    if (await check()) return performance.now() - begun;
    if (performance.now() - begun > patienceMs) return undefined;
    await sleep(everyMs);
  }
};

/** Repeats a check until it passes. @throws the last error of the check when `withinMs` has passed */
export const eventually = async (check: () => Promise<void> | void, withinMs = PATIENCE_MS): Promise<void> => {
  let fault: unknown;
  const passes = async (): Promise<boolean> => {
    try {
      await check();
      return true;
    } catch (error) {
      fault = error;
      return false;
    }
  };
  if ((await untilTrue(passes, withinMs)) === undefined) throw fault;
};
