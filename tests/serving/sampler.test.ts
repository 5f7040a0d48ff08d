import { createSampler } from '../../src/serving/sampler.ts';
import { createChance } from '../../testkit/chance.ts';

const UNITS = 1_000;

/** One second of impressions, each of ten units. @returns the impressions that those examined stand for, and the units spent */
const second = (sampler: ReturnType<typeof createSampler>, impressions: number, atMs: number) => {
  let [counted, spent] = [0, 0];
  for (let i = 0; i < impressions; i++) {
    const weight = sampler.draw(atMs + (i * 1_000) / impressions);
    if (weight === 0) continue;
    counted += weight;
    spent += 10;
    sampler.spend(10);
  }
  return { counted, spent };
};

it('examines everything while that fits', () => {
  const sampler = createSampler(UNITS, createChance(1));
  for (let at = 0; at < 60_000; at += 1_000) expect(second(sampler, 99, at)).toEqual({ counted: 99, spent: 990 });
});

it('examines as many as fit when there are more, and counts what they stand for', () => {
  const sampler = createSampler(UNITS, createChance(2));
  let [counted, spent] = [0, 0];
  for (let at = 0; at < 300_000; at += 1_000) {
    const one = second(sampler, 10_000, at);
    counted += one.counted;
    spent += one.spent;
  }
  expect(counted / 3_000_000).toBeGreaterThan(0.97);
  expect(counted / 3_000_000).toBeLessThan(1.03);
  expect(spent / 300).toBeLessThan(1.5 * UNITS);
  expect(spent / 300).toBeGreaterThan(0.3 * UNITS);
});

it('examines everything again when the traffic has gone', () => {
  const sampler = createSampler(UNITS, createChance(3));
  second(sampler, 100_000, 0);
  expect(sampler.draw(900)).not.toBe(1);
  expect(sampler.draw(60_000)).toBe(1);
  expect(second(sampler, 50, 61_000)).toEqual({ counted: 50, spent: 500 });
});
