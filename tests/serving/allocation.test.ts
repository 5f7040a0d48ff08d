import { simulateMarket } from '../../testkit/simulation/allocation-market.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

/** Some 12,000 decisions. */

test('with dynamic allocation guaranteed line items reach their goals while the bidder pays more for the same requests', async () => {
  const redisUrl = await testRedisUrl();
  const market = { redisUrl, seed: 11, days: 4, requests: 1_500, stepMs: 300_000 };
  const without = await simulateMarket(false, market);
  const dynamic = await simulateMarket(true, market);
  expect(dynamic.requests).toBe(without.requests);
  for (const [name, goal] of dynamic.goals) {
    const share = (dynamic.delivered.get(name) ?? 0) / goal;
    expect([name, share >= 0.98 && share <= 1, share]).toEqual([name, true, share]);
  }
  expect(dynamic.bidMicros / without.bidMicros).toBeGreaterThan(1.1);
});
