import { borrowTargeting } from '../../src/forecast/replay/borrow-targeting.ts';
import { countRange, deliveryRange } from '../../src/forecast/replay/delivery-range.ts';
import { placementFactors, productOf, type PlacementGroup } from '../../src/forecast/replay/placement-factors.ts';
import type { SampledRequest } from '../../src/forecast/sample/sampled-request.ts';
import { planTraffic } from '../../src/forecast/traffic/plan-traffic.ts';
import { createChance, type Chance } from '../../testkit/chance.ts';

const normal = (chance: Chance): number => Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());

it('multiplies requests so that each placement is asked for as often as is expected, also where a page asks for several', () => {
  const groups: readonly PlacementGroup[] = [
    { placements: ['top'], weight: 400 },
    { placements: ['top', 'side'], weight: 300 },
    { placements: ['side', 'foot'], weight: 200 },
    { placements: ['foot'], weight: 100 },
  ];
  const expected = new Map([
    ['top', 1_050],
    ['side', 450],
    ['foot', 360],
  ]);
  const factors = placementFactors(groups, (placement) => expected.get(placement)!);
  for (const [placement, wanted] of expected) {
    const sum = groups
      .filter(({ placements }) => placements.includes(placement))
      .reduce((all, { placements, weight }) => all + weight * productOf(factors, placements), 0);
    expect(Math.abs(sum / wanted - 1)).toBeLessThan(0.01);
  }
  const closed = placementFactors(groups, (placement) => (placement === 'foot' ? 0 : expected.get(placement)!));
  expect(productOf(closed, ['side', 'foot'])).toBe(0);
});

it('gives visitors who may not be measured the key-values of others on the same placement, and nothing of a person', () => {
  const sampled = (visitor: string, placement: string, pairs: readonly string[]): SampledRequest => ({
    ...{ publisherId: 1, atMs: 0, weight: 1, pageView: 0, isRemembered: visitor !== '', floorMicros: null, visitorOffset: null },
    ...{ visitor, pairs, placements: [placement], sizes: [''] },
  });
  const [FI, SE] = ['countries7:country=FI', 'countries7:country=SE'];
  const personal = 'audiences8:audience=cars';
  const [sport, oulu] = ['key_values7:section=sport', 'cities4:city=Oulu'];
  const lent = borrowTargeting([
    sampled('ann', 'top', [FI, sport, oulu, personal]),
    sampled('', 'top', [FI]),
    sampled('', 'top', [SE]),
    sampled('', 'foot', [FI]),
  ]);
  expect(lent.map(({ pairs }) => pairs)).toEqual([[FI, sport, oulu, personal], [FI, sport, oulu], [SE, sport], [FI]]);
  // As many of them as of the others, whatever their order.
  const named = Array.from({ length: 400 }, (_, i) => sampled(`v${i}`, 'top', [`key_values7:section=${i % 4 === 0 ? 'sport' : 'news'}`]));
  const nameless = borrowTargeting([...named, ...Array.from({ length: 200 }, () => sampled('', 'top', []))]).slice(400);
  expect(Math.abs(nameless.filter(({ pairs }) => pairs.includes(sport)).length - 50)).toBeLessThanOrEqual(5);
});

describe('a range', () => {
  const noise = { deviation: 0.1, spread: 0.02, countNoise: 2, widening: 1 };
  const SUPPLY = 4_000;
  /** The impressions that come, against those that were expected. */
  const came = (chance: Chance): number =>
    SUPPLY * Math.exp(noise.spread * normal(chance)) + Math.sqrt(noise.countNoise * SUPPLY) * normal(chance);

  it.each([
    ['takes all that matches', (supply: number) => supply],
    ['takes what 3,000 impressions of others leave', (supply: number) => supply - 3_000],
    ['gets half, by chance', (supply: number, chance: Chance) => supply / 2 + Math.sqrt((noise.countNoise * supply) / 4) * normal(chance)],
  ])('holds 80 per cent of what comes, of a line item that %s', (_, delivered) => {
    const chance = createChance(3);
    const certain: Chance = () => 0;
    const at = (level: number): number => delivered(SUPPLY * level, certain);
    const range = deliveryRange({
      ...{ ...noise, supply: SUPPLY, middle: at(1), others: [at(Math.exp(-0.1)), at(Math.exp(0.1))] },
    });
    const trials = Array.from({ length: 4_000 }, () => delivered(came(chance), chance));
    const held = trials.filter((one) => one >= range.p10 && one <= range.p90).length / trials.length;
    expect(held).toBeGreaterThan(0.77);
    expect(held).toBeLessThan(0.86);
  });

  it('is narrow where a goal binds, and as much wider as was measured', () => {
    const bound = { ...noise, supply: SUPPLY, middle: 1_000, others: [1_000, 1_000] as const };
    expect(deliveryRange(bound)).toEqual({ p10: 994, p50: 1_000, p90: 1_006 });
    expect(deliveryRange({ ...bound, widening: 3 })).toEqual({ p10: 981, p50: 1_000, p90: 1_019 });
    expect(countRange(0, noise)).toEqual({ p10: 0, p50: 0, p90: 0 });
  });
});

it('plans the level of traffic within its spread, of sites that grow and differ from day to day', () => {
  const chance = createChance(11);
  const TODAY = 14;
  const sites = Array.from({ length: 400 }, () => {
    const [growth, unrest] = [0.02 * normal(chance), one(chance, [0.01, 0.03, 0.06])];
    const levelOf = (day: number): number => (day % 7 < 5 ? 6_000 : 4_500) * Math.exp((growth * day) / 7 + unrest * normal(chance));
    const counts = Array.from({ length: 28 }, (_, day) => levelOf(day)).map((level) =>
      Math.round(level + Math.sqrt(level) * normal(chance)),
    );
    const plan = planTraffic({ history: new Map([['top', new Map(counts.slice(0, TODAY).entries())]]), today: TODAY, days: 14 });
    const days = Array.from({ length: 14 }, (_, ahead) => TODAY + ahead);
    const expected = days.reduce((sum, day) => sum + plan.expected('top', day), 0);
    const is = days.reduce((sum, day) => sum + counts[day]!, 0);
    return Math.log(is / expected) / plan.spread(7);
  });
  const held = sites.filter((off) => Math.abs(off) <= 1.2816).length / sites.length;
  expect(held).toBeGreaterThan(0.7);
  expect(held).toBeLessThan(0.92);
  const mean = sites.reduce((sum, off) => sum + off, 0) / sites.length;
  expect(Math.abs(mean)).toBeLessThan(0.25);
});

const one = <T>(chance: Chance, of: readonly T[]): T => of[Math.floor(chance() * of.length)]!;
