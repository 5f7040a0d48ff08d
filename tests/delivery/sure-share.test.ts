import { sureShare } from '../../src/delivery/status/sure-share.ts';

test.each([
  [0, 0, 0],
  [0, 10, 0],
  // The bounds of an interval by Wilson's formula, computed by hand: n / (n + z²) where all are lost.
  [60, 60, 60 / (60 + 1.96 ** 2)],
  [1_000, 1_000, 1_000 / (1_000 + 1.96 ** 2)],
  [50, 100, 0.4038],
  [98, 100, 0.93],
])('%i of %i observations show a share of at least %f', (part, whole, least) => {
  expect(sureShare(part, whole)).toBeCloseTo(least, 4);
});
