import { MIN_DELIVERED, MIN_OF_FAIR, SIBLING_SCENARIOS, simulateSiblings } from '../testkit/simulation/siblings.ts';
import type { Proof } from './rig/proof.ts';
import { withRedis } from './simulation/with-redis.ts';
import { MS_PER_MINUTE } from '../src/base/utc-day.ts';

const QUICK = ['traffic 100:1', 'one added at noon', 'a busy ASAP beside an Even'];

const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;

export const siblings: Proof = {
  name: 'siblings',
  claim: 'line items under one campaign budget share it fairly: simulated days, two replicas',
  expected: `${100 * MIN_DELIVERED}–100 % of what is deliverable; each at least ${100 * MIN_OF_FAIR} % of its fair part; 0 overspent`,
  run: async ({ seed, say }, scale) => {
    const scenarios = SIBLING_SCENARIOS.filter(({ name }) => !scale.quick || QUICK.includes(name));
    const figures = await withRedis(async (redisUrl) => {
      const done = [];
      for (const scenario of scenarios) {
        const options = { redisUrl, seed, renderRate: 0.8, tokenTtlMs: 30 * MS_PER_MINUTE, pid: { kp: 0.3, ki: 0.05, kd: 0.1 } };
        const one = await simulateSiblings(scenario, { ...options, clockSkewsMs: [-2000, 3000], stepMs: scale.of(10_000, 30_000) });
        const each = one.siblings.map(({ label, spent, fair }) => `${label}: ${usd(spent)} of ${usd(fair)}`).join('; ');
        say(`  ${one.name}: ${percent(one.delivered)} delivered, ${each}`);
        done.push(one);
      }
      return done;
    });
    const delivered = Math.min(...figures.map((one) => one.delivered));
    const leastOfFair = Math.min(...figures.map((one) => one.leastOfFair));
    const overspent = Math.max(...figures.map((one) => one.overspent));
    return {
      observed: `${figures.length} scenarios: at least ${percent(delivered)} delivered, ${percent(leastOfFair)} of the fair part; ${overspent} micros overspent`,
      ok: delivered >= MIN_DELIVERED && leastOfFair >= MIN_OF_FAIR && overspent === 0,
    };
  },
};

const usd = (micros: number): string => (micros / 1e6).toFixed(3);
