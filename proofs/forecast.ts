import { backTest, FORECAST_DAYS, type BackTest } from './forecast/back-test.ts';
import { comparisonOf, ruleRuns } from './forecast/compare.ts';
import type { Proof } from './rig/proof.ts';
import { withRedis } from './simulation/with-redis.ts';

const MAX_MEDIAN = 0.05;
const MAX_NINETIETH = 0.15;
const HELD = [0.75, 0.9] as const;

/**
 * Four weeks of an invented site are lived through: after two of them the other two are forecast, and then played with the
 * service's own decision, lots and Lua. The short form has a tenth of the traffic, and wider bounds.
 */
export const forecast: Proof = {
  name: 'forecast',
  isUnmet: true,
  claim: `deliveries of ${FORECAST_DAYS} days, forecast from a sample of the ${FORECAST_DAYS} before, and then played in virtual time by 3 replicas`,
  expected: `per line item off by ${100 * MAX_MEDIAN} % at most in the median and ${100 * MAX_NINETIETH} % at the 90th percentile; P10 to P90 holds ${100 * HELD[0]} to ${100 * HELD[1]} % of them; an impossible goal is called so; the line items named as displaced fell short; each rule that the forecast does not know is seen`,
  run: async ({ seed, say }, scale) => {
    const test = await withRedis((redisUrl) =>
      backTest({
        ...{ redisUrl, seed, say, sampleWeight: 1 },
        viewsADay: scale.of(15_000, 3_000),
        lineItems: scale.of(300, 60),
      }),
    );
    const found = await judge(test, say, scale.quick);
    return found;
  },
};

const judge = async (test: BackTest, say: (line: string) => void, quick: boolean) => {
  const begunAt = performance.now();
  const seen = await test.forecast();
  const perSecond = Math.round((3 * seen.middle.opportunities) / seen.coming.scale / ((performance.now() - begunAt) / 1000));
  const whole = comparisonOf(test, await test.forecast(undefined, true));
  const without = comparisonOf(test, seen);
  for (const line of whole.lines) say(`  ${line}`);
  const displaced = whole.displacedBy(without);
  say(`  ${displaced.named.length} line items named as displaced, of which ${displaced.fellShort} fell short`);
  const blind = quick ? [] : await ruleRuns(test, whole);
  for (const { rule, words } of blind) say(`  without ${rule}: ${words}`);
  const unseen = blind.filter(({ isSeen }) => !isSeen).map(({ rule }) => rule);
  const slack = quick ? 2 : 1;
  const isHeld = whole.held >= HELD[0] - (quick ? 0.1 : 0) && whole.held <= HELD[1] + (quick ? 0.1 : 0);
  return {
    observed: `${whole.compared} line items, median ${percent(whole.median)}, 90th percentile ${percent(whole.ninetieth)}; held ${percent(whole.held)}; impossible goal ${whole.impossible}; displaced ${displaced.fellShort} of ${displaced.named.length}; unseen: ${unseen.join(', ') || 'none'}; ${perSecond.toLocaleString('en')} opportunities a second; ${test.seconds.played.toFixed(0)} s played`,
    ok:
      whole.median <= MAX_MEDIAN * slack &&
      whole.ninetieth <= MAX_NINETIETH * slack &&
      isHeld &&
      whole.impossible === 'called so' &&
      displaced.named.length > 0 &&
      displaced.fellShort >= 0.8 * displaced.named.length &&
      unseen.length === 0,
  };
};

const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;
