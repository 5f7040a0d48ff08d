import { setTimeout as sleep } from 'node:timers/promises';

const ROUNDS = 10;

/**
 * Expects that a piece of work costs this process less CPU time than `limitMs`, user and system, all threads. The collector and the
 * compiler, which work in threads beside it, and a busy machine make single rounds many times dearer: the first round that costs less is
 * enough, of ten that are further and further apart.
 */
export const expectCpuBelow = async (limitMs: number, work: () => unknown): Promise<void> => {
  let leastMs = Infinity;
  for (let round = 0; round < ROUNDS && leastMs >= limitMs; round++) {
    await sleep(20 * round);
    const begun = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(begun);
    leastMs = Math.min(leastMs, (user + system) / 1000);
  }
  expect(leastMs).toBeLessThan(limitMs);
};
