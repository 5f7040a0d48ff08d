import { book, insertRow } from '../testkit/book.ts';
import { createChance } from '../testkit/chance.ts';
import { inParallel } from '../testkit/in-parallel.ts';
import { lookAtAd } from '../testkit/person.ts';
import { readBooks, untilDrained } from '../testkit/read-books.ts';
import type { Proof } from './rig/proof.ts';

/** How often people click the two creatives. */
const RATES = [0.001, 0.003] as const;
const MIN_BETTER = 0.9;
const LAST_LOADS = 3;

interface Arm {
  readonly id: number;
  readonly rate: number;
  impressions: number;
  clicks: number;
}

export const rotation: Proof = {
  name: 'rotation',
  claim: `optimised rotation of two creatives of ${RATES.map((rate) => `${100 * rate} %`).join(' and ')} clicks: 2 replicas, which learn at each load from what was sent to them and stored; --quick: ten times the clicks of a thirtieth of the ads`,
  expected: `at least ${100 * MIN_BETTER} % of the ads of the last ${LAST_LOADS} loads show the better one; every impression and click is counted, and its row stored`,
  run: async ({ seed, say, fleet: start }, scale) => {
    const [loads, adsPerLoad, rateFactor] = scale.of([30, 4_000, 1], [10, 400, 10]);
    const chance = createChance(seed);
    const fleet = await start({ replicas: 2, env: { RELOAD_INTERVAL: '24h' } });
    try {
      const { creativeIds, ...booking } = await book(fleet.knex, { lineItems: [{ rotation: 'optimised' }] });
      const [line_item_id = 0] = booking.lineItemIds;
      const better = { placement_id: booking.placementId, line_item_id, format: 'html', content: '<b>better</b>' };
      const arms = [...creativeIds, await insertRow(fleet.knex, 'creatives', better)].map((id, i): Arm => ({
        id,
        rate: (RATES[i] ?? 0) * rateFactor,
        impressions: 0,
        clicks: 0,
      }));
      const shares: number[] = [];
      let failed = 0;
      /** One visitor, of a network of its own: sees an ad, and may click it. */
      const visit = async (name: number, mood: number): Promise<void> => {
        const address = `198.${18 + (name >> 16)}.${(name >> 8) & 255}.${name & 255}`;
        const { bids } = await fleet.page.ask({ ...booking, creativeIds }, `reader ${name}`, { address });
        const [bid] = bids;
        const arm = arms.find(({ id }) => String(id) === bid?.crid);
        if (!bid || !arm || (await fleet.page.hit(bid.impurl, address)) !== 200) return void failed++;
        arm.impressions++;
        if (mood >= arm.rate) return;
        await lookAtAd();
        if ((await fleet.page.hit(bid.clkurl, address)) === 200) arm.clicks++;
        else failed++;
      };
      for (let load = 0; load < loads; load++) {
        await fleet.reload();
        const before = arms.map(({ impressions }) => impressions);
        const moods = Array.from({ length: adsPerLoad }, chance);
        await inParallel(adsPerLoad, 32, (i) => visit(load * adsPerLoad + i, moods[i]!));
        // The next load learns from the rows.
        if (!(await untilDrained(fleet))) throw new Error('the events were not stored');
        const [worse = 0, shown = 0] = arms.map(({ impressions }, i) => impressions - before[i]!);
        shares.push(shown / Math.max(worse + shown, 1));
        say(`  after ${(load + 1) * adsPerLoad} impressions: ${percent(shares[load]!)} of ${worse + shown} ads show the better one`);
      }
      const sumOf = (of: 'impressions' | 'clicks'): number => arms.reduce((sum, arm) => sum + arm[of], 0);
      const [impressions, clicks] = [sumOf('impressions'), sumOf('clicks')];
      const { counters, rows, daily } = await readBooks(fleet, { ...booking, creativeIds });
      const isCounted =
        [counters.impressions, rows.impression.length, daily.impressions].every((count) => count === impressions) &&
        [counters.clicks, rows.click.length, daily.clicks].every((count) => count === clicks);
      const last = shares.slice(-LAST_LOADS).reduce((sum, share) => sum + share, 0) / LAST_LOADS;
      const [worst, best] = arms.map(({ rate }) => Math.round(impressions * rate)) as [number, number];
      return {
        observed:
          `the better one by load: ${shares.slice(0, 5).map(percent).join(', ')} …, at last ${percent(last)}; ${clicks} clicks of ${impressions} impressions (${(worst + best) / 2} with even shares, ${best} with the better one alone); ` +
          `impressions ${counters.impressions} = ${rows.impression.length} = ${daily.impressions}, clicks ${counters.clicks} = ${rows.click.length} = ${daily.clicks}, failed ${failed}`,
        ok: last >= MIN_BETTER && isCounted && failed === 0,
      };
    } finally {
      await fleet.close();
    }
  },
};

const percent = (part: number): string => `${(100 * part).toFixed(0)} %`;
