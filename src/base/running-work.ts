/** Work that has begun and not ended. Who adds it handles its failure. */
export interface RunningWork {
  /** @param hurry ends what the work need not wait for */
  add(work: Promise<unknown>, hurry?: () => void): void;
  /** Hurries all of it, and resolves when it has ended, however it did; not what is added later. */
  ended(): Promise<unknown>;
}

export const createRunningWork = (): RunningWork => {
  const running = new Map<Promise<unknown>, (() => void) | undefined>();
  return {
    add: (work, hurry) => {
      running.set(work, hurry);
      const end = (): unknown => running.delete(work);
      work.then(end, end);
    },
    ended: () => {
      for (const hurry of running.values()) hurry?.();
      return Promise.allSettled(running.keys());
    },
  };
};
