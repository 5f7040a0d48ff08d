/** Lets at most `limit` through in any window of `windowMs`: a creative that floods its page is heard no faster than that. */
export const createMessageGate = (limit = 10, windowMs = 1000, now: () => number = () => performance.now()): (() => boolean) => {
  let passed: number[] = [];
  return () => {
    const at = now();
    passed = passed.filter((earlier) => at - earlier < windowMs);
    return passed.length < limit && passed.push(at) > 0;
  };
};
