/**
 * Returns a function that is true at most `limit` times in any `windowMs`: limits the messages that
 * a creative can send to its page.
 */
export const createMessageGate = (limit = 10, windowMs = 1000, now: () => number = () => performance.now()): (() => boolean) => {
  let passed: number[] = [];
  return () => {
    const at = now();
    passed = passed.filter((earlier) => at - earlier < windowMs);
    return passed.length < limit && passed.push(at) > 0;
  };
};
