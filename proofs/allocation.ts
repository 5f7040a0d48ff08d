import { simulateMarket } from '../testkit/simulation/allocation-market.ts';
import type { Proof } from './rig/proof.ts';
import { withRedis } from './simulation/with-redis.ts';

const MIN_DELIVERED = 0.98;
const MIN_GAIN = 0.1;

const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;

export const allocation: Proof = {
  name: 'allocation',
  claim:
    'dynamic allocation: simulated, two replicas with allowances, three guaranteed line items that want 45 % of the requests beside a bidder, with and without it',
  expected: `${100 * MIN_DELIVERED}–100 % of each goal; the bidder pays at least ${100 * MIN_GAIN} % more than without`,
  run: async ({ seed, say }, scale) => {
    const market = { seed, days: scale.of(10, 4), requests: scale.of(8_000, 1_500), stepMs: scale.of(60_000, 300_000) };
    const run = (yields: boolean) => withRedis((redisUrl) => simulateMarket(yields, { redisUrl, ...market }));
    const [without, dynamic] = [await run(false), await run(true)];
    const shares = [without, dynamic].map(({ delivered, goals }) => [...goals].map(([name, goal]) => (delivered.get(name) ?? 0) / goal));
    for (const [i, { bidMicros, bidImpressions }] of [without, dynamic].entries()) {
      const cpm = bidMicros / 1e3 / bidImpressions;
      say(
        `  ${i === 0 ? 'without' : 'with'}: goals ${shares[i]!.map(percent).join(', ')}; the bidder pays ${(bidMicros / 1e6).toFixed(2)} USD for ${bidImpressions} impressions, a CPM of ${cpm.toFixed(2)}`,
      );
    }
    const gain = dynamic.bidMicros / without.bidMicros - 1;
    const [least, most] = [Math.min(...shares[1]!), Math.max(...shares[1]!)];
    return {
      observed: `${percent(least)} to ${percent(most)} of the goals; the bidder pays ${percent(gain)} more`,
      ok: least >= MIN_DELIVERED && most <= 1 && gain >= MIN_GAIN,
    };
  },
};
