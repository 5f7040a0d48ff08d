import { LEAD, opportunityFactor } from '../../src/decision/opportunity-cost.ts';
import { NO_SALES_RULES, type LineItem } from '../../src/catalog/model/entities.ts';
import { rankCandidates, type RankingInput } from '../../src/decision/rank-candidates.ts';
import { TargetingQuery } from '../../src/targeting/targeting-query.ts';
import { indexOf } from '../../testkit/candidate-index.ts';
import { entry } from './candidate-index.ts';
import { candidate, lineItem, NOON } from './candidates.ts';

/** Half of the flight has passed: 3,750 of 100,000 is the whole lead. */
const halfway = (delivered: number): number => opportunityFactor({ goal: 100_000, delivered, share: 0.5 });

test('a line item on its line or behind it yields to no bid, one that is a whole lead ahead to any', () => {
  expect([halfway(40_000), halfway(50_000)]).toEqual([Infinity, Infinity]);
  expect([halfway(50_000 + 3_751), halfway(90_000)]).toEqual([0, 0]);
});

test('half a lead ahead, a bid has to pay the price of the line item, and more the shorter the lead is', () => {
  const full = 100_000 * LEAD * 0.25;
  expect(halfway(50_000 + full / 2)).toBeCloseTo(1);
  expect(halfway(50_000 + full / 5)).toBeCloseTo(4);
  expect(halfway(50_000 + 1)).toBeGreaterThan(1_000);
});

test('a lead of less than one impression is none', () => {
  expect(opportunityFactor({ goal: 10, delivered: 5, share: 0.42 })).toBe(Infinity);
});

const yielding = { priority: 1, sales: { ...NO_SALES_RULES, yields: true } } as const;

/** The line items of a ranking in order, beside one bid of 2 USD at priority 2. */
const ranked = (direct: Parameters<typeof indexOf>[0], opportunity: RankingInput['opportunityFactor']) => {
  const ranking = rankCandidates({
    direct: indexOf(direct),
    bids: [{ booking: candidate(lineItem({ id: 9, type: 'programmatic', priority: 2 })), cpmMicros: 2_000_000 }],
    query: { targeting: new TargetingQuery([]), atMs: NOON, mayRemember: true },
    imp: { impId: '1', placementId: 'top', size: { width: 300, height: 250 }, otherSizes: [], formats: ['html'] },
    exhausted: () => 0,
    runsHere: () => false,
    random: () => 0.5,
    opportunityFactor: opportunity,
  });
  return ranking.take(9).map(({ lineItem: { id } }) => id);
};
const factors =
  (by: Readonly<Record<number, number>>) =>
  ({ id }: LineItem): number =>
    by[id] ?? Infinity;

test('a bid goes before a line item that yields for less, and the line item follows it before all others', () => {
  const booked = [entry(1, 5, yielding), entry(2, 1, { priority: 3 })];
  expect(ranked(booked, factors({ 1: 0.3 }))).toEqual([9, 1, 2]);
  expect(ranked(booked, factors({ 1: 0.4 }))).toEqual([1, 9, 2]);
  expect(ranked(booked, undefined)).toEqual([1, 9, 2]);
});

test('a bid never goes before a line item that is behind its goal, nor before one that does not yield', () => {
  expect(ranked([entry(1, 5, yielding), entry(2, 4, yielding)], factors({ 1: 0, 2: Infinity }))).toEqual([2, 9, 1]);
  expect(ranked([entry(1, 5, yielding), entry(2, 4, { priority: 1 })], factors({ 1: 0 }))).toEqual([2, 9, 1]);
  expect(ranked([entry(1, 0, yielding)], factors({}))).toEqual([1, 9]);
});
