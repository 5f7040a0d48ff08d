/** Work that has begun and not ended. Who adds it handles its failure. */
export interface RunningWork {
  add(work: Promise<unknown>): void;
  /** Resolves when all of it has ended, however it did; not what is added later. */
  ended(): Promise<unknown>;
}

export const createRunningWork = (): RunningWork => {
  const running = new Set<Promise<unknown>>();
  return {
    add: (work) => {
      running.add(work);
      const end = (): unknown => running.delete(work);
      work.then(end, end);
    },
    ended: () => Promise.allSettled(running),
  };
};
