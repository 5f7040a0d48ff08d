import { measure } from '../../testkit/simulation/measure.ts';
import { simulateDay } from '../../testkit/simulation/simulate-day.ts';
import { simulatedCandidate } from '../../testkit/simulation/simulated-booking.ts';
import { MIN_DELIVERED, MIN_OF_FAIR, SIBLING_SCENARIOS, simulateSiblings } from '../../testkit/simulation/siblings.ts';
import { dailyCurve } from '../../testkit/simulation/traffic.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

// About 50,000 answers of Redis, one after the other: seconds, and minutes where other work has the cores.

describe('a simulated day', () => {
  it('with two replicas, a surge, an outage and pages that do not render delivers exactly its cap, evenly', async () => {
    const cap = 10_000;
    const curve = dailyCurve();
    const outage = { fromMinute: 780, toMinute: 900 };
    const modes = ['Even', 'PID'] as const;
    const day = await simulateDay({
      redisUrl: await testRedisUrl(),
      seed: 1,
      streams: [
        {
          requests: 30_000,
          candidates: modes.map((pacing, i) => simulatedCandidate({ id: i + 1, name: pacing, pacing, dailyImpressionCap: cap })),
        },
      ],
      curve,
      learned: curve,
      unrest: 0.15,
      surge: { fromMinute: 1140, toMinute: 1160 },
      surgeFactor: 5,
      outage,
      renderRate: 0.8,
      tokenTtlMs: 30 * 60_000,
      pid: { kp: 0.3, ki: 0.05, kd: 0.1 },
      clockSkewsMs: [-2000, 3000],
      stepMs: 30_000,
    });
    for (const mode of modes) {
      const figures = measure({ day, mode, cap, curve, outage });
      expect(figures).toMatchObject({ mode, overshoot: 0 });
      expect(figures.deliveredShare).toBeGreaterThanOrEqual(0.98);
      expect(figures.worstHour).toBeLessThan(0.03);
      if (mode === 'PID') expect(figures.fastestTenMinutes).toBeLessThanOrEqual(1.5);
    }
  });

  // `npm run prove` has the other scenarios, three of them with --quick.
  it.each(['one stops at noon, one starts'])('gives each line item of a campaign budget its part: %s', async (name) => {
    const scenario = SIBLING_SCENARIOS.find((one) => one.name === name)!;
    const figures = await simulateSiblings(scenario, {
      redisUrl: await testRedisUrl(),
      seed: 1,
      renderRate: 0.8,
      tokenTtlMs: 30 * 60_000,
      pid: { kp: 0.3, ki: 0.05, kd: 0.1 },
      clockSkewsMs: [-2000, 3000],
      stepMs: 30_000,
    });
    expect(figures.overspent).toBe(0);
    expect(figures.delivered).toBeGreaterThanOrEqual(MIN_DELIVERED);
    expect(figures.leastOfFair).toBeGreaterThanOrEqual(MIN_OF_FAIR);
  });
});
