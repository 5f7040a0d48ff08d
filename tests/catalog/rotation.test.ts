import { optimisedShares } from '../../src/catalog/snapshot/rotation.ts';
import { createChance, poisson } from '../../testkit/chance.ts';

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

test('creatives without figures share alike, and the same figures and seed give the same shares', () => {
  const unknown = optimisedShares(Array.from({ length: 4 }, () => ({ impressions: 0, clicks: 0 })));
  for (const share of unknown) expect(Math.abs(share - 0.25)).toBeLessThan(0.06);
  expect(sum(unknown)).toBeCloseTo(1, 9);
  const known = [
    { impressions: 5_000, clicks: 6 },
    { impressions: 5_000, clicks: 9 },
  ];
  expect(optimisedShares(known)).toEqual(optimisedShares(known));
  expect(optimisedShares(known, 1)).not.toEqual(optimisedShares(known, 2));
  expect(Math.abs(optimisedShares(known, 1)[1]! - optimisedShares(known, 2)[1]!)).toBeLessThan(0.08);
});

test('what is known well decides, and what is not known is tried', () => {
  const [worse, better] = optimisedShares([
    { impressions: 100_000, clicks: 100 },
    { impressions: 100_000, clicks: 300 },
  ]);
  expect(worse).toBe(0.01);
  expect(better).toBe(0.99);
  const [, , added] = optimisedShares([
    { impressions: 100_000, clicks: 100 },
    { impressions: 100_000, clicks: 110 },
    { impressions: 0, clicks: 0 },
  ]);
  expect(added).toBeGreaterThan(0.2);
  expect(added).toBeLessThan(0.6);
});

test('the chance of a lead comes from its size: one click more of three is little', () => {
  const [, lead] = optimisedShares([
    { impressions: 1_000, clicks: 3 },
    { impressions: 1_000, clicks: 4 },
  ]);
  expect(lead).toBeGreaterThan(0.55);
  expect(lead).toBeLessThan(0.75);
});

const RATES = [0.001, 0.003];
const LOAD_IMPRESSIONS = 2_000;

/** The share of the better of two creatives at each catalog load, and the clicks of all loads. */
const learn = (seed: number, loads: number) => {
  const chance = createChance(seed);
  let counts = RATES.map(() => ({ impressions: 0, clicks: 0 }));
  const better: number[] = [];
  for (let load = 0; load < loads; load++) {
    const shares = optimisedShares(counts);
    better.push(shares[1]!);
    counts = counts.map(({ impressions, clicks }, i) => {
      const shown = Math.round(LOAD_IMPRESSIONS * shares[i]!);
      return { impressions: impressions + shown, clicks: clicks + Math.min(poisson(chance, shown * RATES[i]!), shown) };
    });
  }
  return { better, clicks: sum(counts.map(({ clicks }) => clicks)) };
};

test('two creatives of 0.1 % and 0.3 % are told apart', () => {
  const loads = 60;
  const runs = Array.from({ length: 30 }, (_, seed) => learn(seed + 1, loads));
  const meanAfter = (impressions: number): number => sum(runs.map(({ better }) => better[impressions / LOAD_IMPRESSIONS]!)) / runs.length;
  // As measured: 0.72, 0.93, 0.98. The most is 0.99: a fiftieth is explored.
  expect(meanAfter(2_000)).toBeGreaterThan(0.6);
  expect(meanAfter(10_000)).toBeGreaterThan(0.9);
  expect(meanAfter(40_000)).toBeGreaterThan(0.97);
  // The slowest of 30 runs.
  expect(Math.min(...runs.map(({ better }) => better[40_000 / LOAD_IMPRESSIONS]!))).toBeGreaterThan(0.9);
  // Of 120,000 impressions: 240 clicks when both are shown alike, 360 by the better one alone; as measured, 354.
  const clicks = sum(runs.map((run) => run.clicks)) / runs.length;
  expect(clicks).toBeGreaterThan(345);
});
