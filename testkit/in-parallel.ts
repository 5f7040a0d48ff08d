/**
 * Runs `job` for 0, 1, … `count` − 1 with at most `width` under way. The first fault stops the rest and is thrown.
 * @param until called before each job; true ends the run early
 */
export const inParallel = async (
  count: number,
  width: number,
  job: (i: number) => Promise<unknown>,
  until: () => boolean = () => false,
): Promise<void> => {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count && !until()) {
      const i = next++;
      try {
        await job(i);
      } catch (fault) {
        next = count;
        throw fault;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, lane));
};
