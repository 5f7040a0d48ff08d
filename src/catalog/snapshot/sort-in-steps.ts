const RUN_LENGTH = 512;
const ITEMS_PER_STEP = 2048;

/**
 * A stable merge sort as a generator: every `yield` is a point where it can pause. Returns a new
 * list. The engine's own sort of 100,000 candidates would block the event loop for tens of
 * milliseconds.
 */
export function* sortInSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): Generator<undefined, T[]> {
  let from: T[] = [];
  for (let start = 0; start < items.length; start += RUN_LENGTH) {
    for (const item of items.slice(start, start + RUN_LENGTH).sort(compare)) from.push(item);
    yield;
  }
  let into: T[] = new Array<T>(from.length);
  for (let width = RUN_LENGTH; width < from.length; width *= 2) {
    let written = 0;
    for (let start = 0; start < from.length; start += 2 * width) {
      const middle = Math.min(start + width, from.length);
      const end = Math.min(start + 2 * width, from.length);
      let left = start;
      let right = middle;
      while (left < middle || right < end) {
        const takeLeft = right >= end || (left < middle && compare(from[left]!, from[right]!) <= 0);
        into[written++] = takeLeft ? from[left++]! : from[right++]!;
        if (written % ITEMS_PER_STEP === 0) yield;
      }
    }
    [from, into] = [into, from];
  }
  return from;
}
