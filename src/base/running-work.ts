/** Work that has begun and not ended. Who adds it handles its failure. */
export const createRunningWork = () => {
  const running = new Map<Promise<unknown>, (() => void) | undefined>();
  return {
    /** @param hurry ends what the work need not wait for */
    add: (work: Promise<unknown>, hurry?: () => void): void => {
      running.set(work, hurry);
      const end = (): unknown => running.delete(work);
      work.then(end, end);
    },
    /** Hurries all of it, and resolves when it has ended, however it did; not what is added later. */
    ended: (): Promise<unknown> => {
      for (const hurry of running.values()) hurry?.();
      return Promise.allSettled(running.keys());
    },
  };
};
