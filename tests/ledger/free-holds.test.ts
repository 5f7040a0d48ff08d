import { createFreeHolds } from '../../src/ledger/free-holds.ts';
import { HOUR, NOON } from '../decision/candidates.ts';

it('lets a client hold a few ads, and nine for each that it rendered', () => {
  const free = createFreeHolds();
  const take = (ads: number, nowMs = NOON): number => {
    for (let i = 0; i < ads; i++) {
      if (!free.allows(1, 'one', 1, nowMs)) return i;
      free.hold(1, 'one', HOUR, nowMs);
    }
    return ads;
  };
  expect(free.allows(1, 'one', 5, NOON)).toBe(false);
  expect(take(10)).toBe(4);
  free.render(1, 'one', HOUR, NOON);
  expect(take(20)).toBe(10);
  expect(free.allows(2, 'one', 4, NOON)).toBe(true);
  expect(take(20, NOON + 24 * HOUR)).toBe(4);
});

it('lets all clients that have rendered nothing hold fifty, and two for each that rendered its first', () => {
  const free = createFreeHolds();
  free.hold(1, 'reader', HOUR, NOON);
  free.render(1, 'reader', HOUR, NOON);
  let held = 0;
  for (let i = 0; i < 100; i++) {
    if (!free.allows(1, `bot-${i}`, 1, NOON)) continue;
    free.hold(1, `bot-${i}`, HOUR, NOON);
    held++;
  }
  expect(held).toBe(52);
  expect(free.allows(1, 'reader', 9, NOON)).toBe(true);
});
