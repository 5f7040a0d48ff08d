/** How long one slice may hold the event loop, in milliseconds; a step overruns it by what it takes itself, well under a millisecond. */
const SLICE_MS = 0.5;
/** A turn of the event loop that took longer had requests to answer: it is their turn again, for so many turns on end at most. */
const QUIET_TURN_MS = 0.2;
const MOST_TURNS = 10;

/**
 * Lets everything that waits on the event loop go first: on a busy replica until a turn had little to do, on an idle one for one turn, so that a
 * load takes no longer there than it must.
 */
export const pauseForEventLoop = async (): Promise<void> => {
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const begun = performance.now();
    await new Promise((resolve) => setImmediate(resolve));
    if (performance.now() - begun < QUIET_TURN_MS) return;
  }
};

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
