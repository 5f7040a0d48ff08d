import { setTimeout as sleep } from 'node:timers/promises';

/** Asks every `everyMs` until the answer is true. Resolves to how long that took in ms, or undefined when `patienceMs` has passed. */
export const untilTrue = async (ask: () => Promise<boolean> | boolean, patienceMs: number, everyMs = 50): Promise<number | undefined> => {
  const begun = performance.now();
  for (;;) {
    if (await ask()) return performance.now() - begun;
    if (performance.now() - begun > patienceMs) return undefined;
    await sleep(everyMs);
  }
};
