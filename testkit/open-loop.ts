import { setTimeout as sleep } from 'node:timers/promises';

const STEP_MS = 5;

/**
 * Begins visits at a fixed rate, independent of the answers to earlier ones (an open loop).
 * @param visit its number from 0; must not reject
 * @returns a function that begins no more visits and waits for those that have begun
 */
export const openLoop = (perSecond: number, visit: (n: number) => Promise<void>): (() => Promise<void>) => {
  const open = new Set<Promise<void>>();
  const begun = performance.now();
  let [count, stopped] = [0, false];
  const run = async (): Promise<void> => {
    while (!stopped) {
      while (count < ((performance.now() - begun) * perSecond) / 1_000) {
        const one = visit(count++).finally(() => open.delete(one));
        open.add(one);
      }
      await sleep(STEP_MS);
    }
  };
  const running = run();
  return async () => {
    stopped = true;
    await running;
    await Promise.all(open);
  };
};
