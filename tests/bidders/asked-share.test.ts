import { createAskedShare } from '../../src/bidders/calls/asked-share.ts';

/** What of 1,000 requests a bidder is asked whose calls run out of time as `isSlow` says; the last 500 count. */
const asked = (share: ReturnType<typeof createAskedShare>, isSlow: (call: number) => boolean): number => {
  let [calls, late] = [0, 0];
  for (let request = 0; request < 1_000; request++) {
    if (!share.mayAsk()) continue;
    share.note(isSlow(calls++));
    if (request >= 500) late++;
  }
  return late / 500;
};

test.each([
  ['never slow', () => false, 1, 1],
  ['slow for one call in 12', (call: number) => call % 12 === 0, 0.97, 1],
  ['slow for three calls in ten', (call: number) => [0, 3, 6].includes(call % 10), 0.45, 0.65],
  ['slow for every second call', (call: number) => call % 2 === 0, 0.1, 0.15],
  ['always slow', () => true, 0.1, 0.11],
])('a bidder that is %s gets its part of the calls', (_, isSlow, least, most) => {
  const part = asked(
    createAskedShare(() => undefined),
    isSlow,
  );
  expect(part).toBeGreaterThanOrEqual(least);
  expect(part).toBeLessThanOrEqual(most);
});

test('a bidder that has become fast gets all calls again, and each change is reported', () => {
  const shares: number[] = [];
  const share = createAskedShare((now) => shares.push(now));
  asked(share, () => true);
  expect(share.share).toBeCloseTo(0.1);
  asked(share, () => false);
  expect(share.share).toBe(1);
  expect(shares.at(0)).toBeLessThan(1);
  expect(shares.at(-1)).toBe(1);
});

test('the calls of a slow bidder are spread evenly', () => {
  const share = createAskedShare(() => undefined);
  asked(share, () => true);
  const gaps: number[] = [];
  for (let request = 0, last = 0; gaps.length < 5; request++)
    if (share.mayAsk()) {
      gaps.push(request - last);
      last = request;
    }
  expect(new Set(gaps.slice(1))).toEqual(new Set([10]));
});
