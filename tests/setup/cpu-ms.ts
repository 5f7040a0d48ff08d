/**
 * CPU time in ms that a piece of work costs this process, user and system, all threads: the least of three. A busy machine makes it a
 * little longer, and the time on the clock many times.
 */
export const cpuMs = async (work: () => unknown, times = 3): Promise<number> => {
  const costs: number[] = [];
  for (let i = 0; i < times; i++) {
    const begun = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(begun);
    costs.push((user + system) / 1000);
  }
  return Math.min(...costs);
};
