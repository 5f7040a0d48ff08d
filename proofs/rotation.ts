import { dateOfDay, dayOf } from '../src/base/utc-day.ts';
import { underReconcileLock } from '../src/events/postgres/reconciliation.ts';
import { book, insertRow } from '../testkit/book.ts';
import { createChance, poisson } from '../testkit/chance.ts';
import { inParallel } from '../testkit/in-parallel.ts';
import type { Proof } from './rig/proof.ts';

/** How often the two creatives are clicked. */
const RATES = [0.001, 0.003] as const;
/** Impressions that each ad counts as, so that the proof needs fewer requests. */
const PER_AD = 20;
const MIN_BETTER = 0.9;
const LAST_LOADS = 3;

export const rotation: Proof = {
  name: 'rotation',
  claim: 'optimised rotation of two creatives of 0.1 % and 0.3 % clicks: 2 replicas, which learn from Postgres at each load',
  expected: `at least ${100 * MIN_BETTER} % of the ads of the last ${LAST_LOADS} loads show the better one`,
  run: async ({ seed, say, fleet: start }, scale) => {
    const [loads, adsPerLoad] = scale.of([30, 200], [10, 200]);
    const chance = createChance(seed);
    const fleet = await start({ replicas: 2, env: { RELOAD_INTERVAL: '24h' } });
    const shares: number[] = [];
    let clicks = 0;
    try {
      const { creativeIds, ...booking } = await book(fleet.knex, { lineItems: [{ rotation: 'optimised' }] });
      const [line_item_id = 0] = booking.lineItemIds;
      const better = { placement_id: booking.placementId, line_item_id, format: 'html', content: '<b>better</b>' };
      const arms = [...creativeIds, await insertRow(fleet.knex, 'creatives', better)].map((id, i) => ({
        id,
        rate: RATES[i] ?? 0,
        impressions: 0,
        clicks: 0,
      }));
      const keys = { day: dateOfDay(dayOf(Date.now())), campaign_id: booking.campaignId, publisher_id: booking.publisherId, line_item_id };
      const playLoad = async (load: number): Promise<void> => {
        await fleet.reload();
        let ads = 0;
        const before = arms.map(({ impressions }) => impressions);
        await inParallel(adsPerLoad, 32, async (i) => {
          const { bids } = await fleet.page.ask({ ...booking, creativeIds }, `reader ${load} ${i}`);
          const arm = arms.find(({ id }) => String(id) === bids[0]?.crid);
          if (arm === undefined) return;
          arm.impressions += PER_AD;
          ads++;
        });
        for (const [i, arm] of arms.entries()) {
          const shown = arm.impressions - before[i]!;
          arm.clicks += Math.min(poisson(chance, shown * arm.rate), shown);
          const { id: creative_id, impressions, clicks: clicked } = arm;
          const columns = ['day', 'line_item_id', 'creative_id', 'campaign_id', 'publisher_id'];
          await fleet
            .knex('daily_counts')
            .insert({ ...keys, creative_id, impressions, clicks: clicked })
            .onConflict(columns)
            .merge();
        }
        shares.push((arms[1]!.impressions - before[1]!) / PER_AD / Math.max(ads, 1));
        say(`  after ${load * adsPerLoad * PER_AD} impressions: ${percent(shares[load]!)} of ${ads} ads show the better one`);
      };
      // There are no event rows for these counts, so nothing may correct them.
      await underReconcileLock(fleet.knex, { wait: true }, async () => {
        for (let load = 0; load < loads; load++) await playLoad(load);
      });
      clicks = arms.reduce((sum, arm) => sum + arm.clicks, 0);
    } finally {
      await fleet.close();
    }
    const impressions = loads * adsPerLoad * PER_AD;
    const [worse, best] = RATES.map((rate) => Math.round(impressions * rate)) as [number, number];
    const last = shares.slice(-LAST_LOADS).reduce((sum, share) => sum + share, 0) / LAST_LOADS;
    return {
      observed: `the better one by load: ${shares.slice(0, 5).map(percent).join(', ')} …, at last ${percent(last)}; ${clicks} clicks of ${impressions} impressions (${(worse + best) / 2} with even shares, ${best} with the better one alone)`,
      ok: last >= MIN_BETTER,
    };
  },
};

const percent = (part: number): string => `${(100 * part).toFixed(0)} %`;
