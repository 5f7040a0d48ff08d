import { hourlyTraffic } from '../../src/catalog/snapshot/hourly-traffic.ts';

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

describe('the learned curve', () => {
  it('is flat while there are too few impressions', () => {
    expect(hourlyTraffic(Array.from({ length: 24 }, () => 10))).toBeUndefined();
  });

  it('sums to one, gives every hour a share, and has its peak where the traffic was', () => {
    const learned = hourlyTraffic(Array.from({ length: 24 }, (_, hour) => (hour === 20 ? 100_000 : 0)));
    const shares = learned?.shareOfHour ?? [];
    expect(sum(shares)).toBeCloseTo(1, 9);
    expect(Math.min(...shares)).toBeGreaterThan(0.002);
    expect(shares.indexOf(Math.max(...shares))).toBe(20);
    expect(learned?.shareBefore[0]).toBe(0);
    expect((learned?.shareBefore[23] ?? 0) + (shares[23] ?? 0)).toBeCloseTo(1, 9);
  });
});
