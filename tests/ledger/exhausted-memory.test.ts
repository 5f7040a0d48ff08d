import { NoBidReason } from '../../src/decision/no-bid-reason.ts';
import { createExhaustedMemory } from '../../src/ledger/exhausted-memory.ts';

/** When an entry is offered in the given time, one that is refused whenever it is offered. */
const offersOf = (reason: NoBidReason, fromMs: number, untilMs: number, memory = createExhaustedMemory(1)): readonly number[] => {
  const offered: number[] = [];
  for (let nowMs = fromMs; nowMs < untilMs; nowMs += 10) {
    if (memory.reasonAt(0, nowMs) !== 0) continue;
    offered.push(nowMs - fromMs);
    memory.remember(0, reason, nowMs);
  }
  return offered;
};

it('offers what is used up four times a second for two seconds, in which places come back, then once a second', () => {
  const memory = createExhaustedMemory(1);
  const expected = [0, 250, 500, 750, 1_000, 1_250, 1_500, 1_750, 2_000, 3_000, 4_000];
  expect(offersOf(NoBidReason.DailyCap, 1_000_000, 1_005_000, memory)).toEqual(expected);
  expect(offersOf(NoBidReason.DailyCap, 1_010_000, 1_015_000, memory)).toEqual(expected);
});

it('offers what pacing refuses twenty times a second', () => {
  expect(offersOf(NoBidReason.Pacing, 1_000_000, 1_001_000)).toHaveLength(20);
});
