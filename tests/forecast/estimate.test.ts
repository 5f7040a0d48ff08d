import type { Campaign, LineItem } from '../../src/catalog/model/entities.ts';
import { deliveryOf, type LimitedBy, type Supply } from '../../src/forecast/estimate.ts';

const DAY = 86_400_000;
const TODAY = 20_000;
const DAYS = 29;

/** Of so many impressions on each of the days that are live, all of them free. */
const supplyOf = (perDay: number, isLive: (ahead: number) => boolean): Supply => {
  const byDay = Array.from({ length: DAYS }, (_, ahead) => {
    const available = isLive(ahead) ? perDay : 0;
    return { day: TODAY + ahead, available, free: available };
  });
  const available = byDay.reduce((sum, day) => sum + day.available, 0);
  return { available, free: available, availableOn: new Map([['top', available]]), byDay, visits: [], nameless: 0 };
};

/** A line item with a goal, whose flight ends so many days from today, with the last of them. */
const pacedUntil = (days: number, goal: number): LimitedBy => {
  const flight = { startMs: (TODAY - 5) * DAY, endMs: (TODAY + days) * DAY };
  return {
    lineItem: {
      ...{ flight, pacing: 'Even', cpmMicros: 1_000_000, goals: { impressions: goal } },
      ...{ frequencyCaps: [], dailyImpressionCap: null, dailySpendCapMicros: null, budgetMicros: null },
    } as unknown as LineItem,
    campaign: { flight, dailyBudgetMicros: null, budgetMicros: null } as unknown as Campaign,
    ...{ delivered: 0, spentMicros: 0, renderRate: 1 },
  };
};

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

test('a paced line item delivers its goal by the end of its flight, where enough is free', () => {
  expect(
    sumOf(
      deliveryOf(
        supplyOf(1_000, (ahead) => ahead < 12),
        pacedUntil(12, 3_600),
      ),
    ),
  ).toBeCloseTo(3_600);
  // On two days of each week, of which the last is the last of the flight.
  expect(
    sumOf(
      deliveryOf(
        supplyOf(1_000, (ahead) => ahead < 14 && ahead % 7 > 4),
        pacedUntil(14, 3_600),
      ),
    ),
  ).toBeCloseTo(3_600);
});

test('a paced line item whose flight goes on leaves the days after those that are forecast their part', () => {
  const delivered = deliveryOf(
    supplyOf(1_000, () => true),
    pacedUntil(2 * DAYS, 5_800),
  );
  expect(sumOf(delivered)).toBeCloseTo(2_900);
  expect(delivered[0]).toBeCloseTo(100);
});

test('a day makes up for those before it', () => {
  const supply = supplyOf(1_000, (ahead) => ahead < 12);
  const late: Supply = { ...supply, byDay: supply.byDay.map((day, ahead) => (ahead < 2 ? { ...day, free: 0 } : day)) };
  expect(sumOf(deliveryOf(late, pacedUntil(12, 3_600)))).toBeCloseTo(3_600);
});

test('a paced line item with less than an even course each day gets what is free', () => {
  expect(
    sumOf(
      deliveryOf(
        supplyOf(50, (ahead) => ahead < 12),
        pacedUntil(12, 3_600),
      ),
    ),
  ).toBeCloseTo(600);
});
