/** How long one slice may hold the event loop, in milliseconds; a step overruns it by what it takes itself, well under a millisecond. */
const SLICE_MS = 1;

/** Lets everything that waits on the event loop have its turn. */
export const pauseForEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Runs a generator to its end, pausing whenever a slice of time is used up, and resolves with what it returns. */
export const runInSlices = async <T>(steps: Generator<undefined, T>, pause: () => Promise<void> = pauseForEventLoop): Promise<T> => {
  let sliceEnd = performance.now() + SLICE_MS;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() < sliceEnd) continue;
    await pause();
    sliceEnd = performance.now() + SLICE_MS;
  }
};
