/** Length of one slice. The step that ends a slice exceeds it by less than a millisecond. */
const SLICE_MS = 0.5;
/**
 * A turn of the event loop that takes longer had requests to handle, so they get another turn, up
 * to MAX_TURNS.
 */
const QUIET_TURN_MS = 0.2;
const MAX_TURNS = 10;

/**
 * Lets pending work of the event loop run first. On a busy replica it waits until a turn had little
 * to do, on an idle one for one turn, so that a load is not slowed down needlessly.
 */
export const pauseForEventLoop = async (): Promise<void> => {
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const begun = performance.now();
    await new Promise((resolve) => setImmediate(resolve));
    if (performance.now() - begun < QUIET_TURN_MS) return;
  }
};

/**
 * Runs a generator to its end with a pause after every slice, and resolves with its return value.
 */
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
