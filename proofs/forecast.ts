import { backTest, FORECAST_DAYS, type BackTest } from './forecast/back-test.ts';
import { comparisonOf, percent, ruleRuns } from './forecast/compare.ts';
import type { Proof } from './rig/proof.ts';
import { withRedis } from './simulation/with-redis.ts';

const MAX_MEDIAN = 0.05;
const MAX_NINETIETH = 0.15;
const HELD = [0.75, 0.9] as const;
/** Of the 50 line items of the short form the figures are only so sure: two standard deviations of the share that a range holds. */
const QUICK_SLACK = { median: 0.01, ninetieth: 0.05, held: 0.11 };
const NO_SLACK = { median: 0, ninetieth: 0, held: 0 };
const MAX_UNAVAILABLE = 0.03;
/**
 * From two weeks the growth of traffic is known to one per cent a week: of such lives one in four has more than 3 per cent more or
 * less traffic than can be known. The forecast says how far it may be off, and is held to that.
 */
const MAX_DEVIATIONS = 2;

/**
 * Four weeks of an invented site are lived through: after two of them the other two are forecast, and then played with the
 * service's own decision, lots and Lua. The short form has a fifth of the traffic and of the line items.
 */
export const forecast: Proof = {
  name: 'forecast',
  isLong: true,
  isComputed: true,
  claim: `deliveries of ${FORECAST_DAYS} days, forecast from a sample of the ${FORECAST_DAYS} before, and then played in virtual time by 3 replicas`,
  expected: `per line item off by ${100 * MAX_MEDIAN} % at most in the median and ${100 * MAX_NINETIETH} % at the 90th percentile; P10 to P90 holds ${100 * HELD[0]} to ${100 * HELD[1]} % of them; available impressions off by ${100 * MAX_UNAVAILABLE} % at most, or by ${MAX_DEVIATIONS} of the standard deviations that the forecast states; an impossible goal is called so; the line items named as displaced fell short; each rule that the forecast does not know is seen`,
  run: async ({ seed, say }, scale) => {
    const test = await withRedis((redisUrl) =>
      backTest({
        ...{ redisUrl, seed, say, sampleWeight: 1 },
        viewsADay: scale.of(15_000, 3_000),
        lineItems: scale.of(300, 60),
      }),
    );
    return judge(test, say, scale.quick);
  },
};

const judge = async (test: BackTest, say: (line: string) => void, quick: boolean) => {
  const begunAt = performance.now();
  const seen = await test.forecast(false);
  const perSecond = Math.round((3 * seen.middle.opportunities) / seen.coming.scale / ((performance.now() - begunAt) / 1000));
  const whole = comparisonOf(test, await test.forecast(true));
  const without = comparisonOf(test, seen);
  for (const line of whole.lines) say(`  ${line}`);
  const displaced = whole.displacedBy(without);
  say(`  ${displaced.named.length} line items named as displaced, of which ${displaced.fellShort} fell short`);
  const blind = await ruleRuns(test, whole);
  for (const { rule, words } of blind) say(`  without ${rule}: ${words}`);
  const unseen = blind.filter(({ isSeen }) => !isSeen).map(({ rule }) => rule);
  const slack = quick ? QUICK_SLACK : NO_SLACK;
  return {
    observed: `${whole.compared} line items, median ${percent(whole.median)}, 90th percentile ${percent(whole.ninetieth)}; held ${percent(whole.held)}; available off by ${percent(whole.available)} (it states ${percent(whole.spread)}); impossible goal ${whole.impossible}; displaced ${displaced.fellShort} of ${displaced.named.length}; unseen: ${unseen.join(', ') || 'none'}; ${perSecond.toLocaleString('en')} opportunities a second; ${test.seconds.played.toFixed(0)} s played`,
    ok:
      whole.median <= MAX_MEDIAN + slack.median &&
      whole.ninetieth <= MAX_NINETIETH + slack.ninetieth &&
      whole.held >= HELD[0] - slack.held &&
      whole.held <= HELD[1] + slack.held &&
      whole.available <= Math.max(MAX_UNAVAILABLE, MAX_DEVIATIONS * whole.spread) &&
      whole.impossible === 'called so' &&
      displaced.named.length > 0 &&
      displaced.fellShort >= 0.8 * displaced.named.length &&
      unseen.length === 0,
  };
};
