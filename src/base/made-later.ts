const waiting = new Set<() => unknown>();

/**
 * Makes a thing at its first use. The checks of all schemas of staff's calls and of the catalog take 0.4 s of CPU time, a third of a start, the
 * document of the API and the patterns of spiders 0.1 s; a replica of a test uses few of them, and the thread that loads the catalog the checks
 * of the records that there are.
 */
export const madeLater = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  const madeOnce = (): T => {
    waiting.delete(madeOnce);
    return (made ??= make());
  };
  waiting.add(madeOnce);
  return madeOnce;
};

/** Makes what waits for its first use. A replica in production does so before it listens: later, ads would wait for it. */
export const makeWaiting = (): void => {
  for (const make of waiting) make();
};
