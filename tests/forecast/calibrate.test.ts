import type { Campaign, LineItem } from '../../src/catalog/model/entities.ts';
import { atLevel, calibrate } from '../../src/forecast/calibrate.ts';
import { NoBidReason } from '../../src/decision/no-bid-reason.ts';
import { OUTRANKED, type RefusalReason } from '../../src/serving/count-refusals.ts';
import { deliveryOf, type LimitedBy, type Supply } from '../../src/forecast/estimate.ts';

const DAY = 86_400_000;
const DAYS = 28;
const FLIGHT = { startMs: 0, endMs: DAYS * DAY };

/** On each day a thousand impressions match, and half of them are free. */
const SUPPLY: Supply = {
  ...{ available: 28_000, free: 14_000, availableOn: new Map([['top', 28_000]]), visits: [], nameless: 0 },
  byDay: Array.from({ length: DAYS }, (_, day) => ({ day, available: 1_000, free: 500 })),
};
const limitsOf = (goal: number | null): LimitedBy => ({
  lineItem: {
    ...{ flight: FLIGHT, pacing: 'ASAP', cpmMicros: 1_000_000, goals: { impressions: goal } },
    ...{ frequencyCaps: [], dailyImpressionCap: null, dailySpendCapMicros: null, budgetMicros: null },
  } as unknown as LineItem,
  campaign: { flight: FLIGHT, dailyBudgetMicros: null, budgetMicros: null } as unknown as Campaign,
  ...{ delivered: 0, spentMicros: 0, renderRate: 1 },
});
const totalAt = (level: number, goal: number | null): number =>
  deliveryOf(atLevel(SUPPLY, level), limitsOf(goal)).reduce((sum, count) => sum + count, 0);

test('an estimate at the level of a replay is what the replay has delivered, also below a goal that the sample would reach', () => {
  // The sample has 14,000 for a goal of 10,000; the replay delivers 4,000.
  const { asIs } = calibrate(SUPPLY, limitsOf(10_000), 4_000, new Map());
  expect(totalAt(asIs, 10_000)).toBeCloseTo(4_000, -2);
});

test('what keeps a line item from being shown because others rank above does not count against a higher rank', () => {
  expect(calibrate(SUPPLY, limitsOf(20_000), 4_000, new Map([[OUTRANKED, 24_000]])).ranked).toBe(1);
  // Of the impressions that others leave, half are of pages that show it already.
  const onPage = new Map<RefusalReason, number>([
    [OUTRANKED, 14_000],
    [NoBidReason.DuplicateInPage, 7_000],
  ]);
  const { asIs, ranked } = calibrate(SUPPLY, limitsOf(20_000), 7_000, onPage);
  expect([asIs, ranked].map((level) => level.toFixed(2))).toEqual(['0.50', '0.50']);
});

test('a line item that never wins has an estimate for a higher rank, and none as it is', () => {
  const { asIs, ranked } = calibrate(SUPPLY, limitsOf(20_000), 0, new Map([[OUTRANKED, 28_000]]));
  expect(totalAt(asIs, 20_000)).toBeLessThan(10);
  expect(ranked).toBe(1);
});
