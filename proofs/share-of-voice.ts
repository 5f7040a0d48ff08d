import { book } from '../testkit/book.ts';
import { createPage } from '../testkit/create-page.ts';
import { inParallel } from '../testkit/in-parallel.ts';
import type { Proof } from './rig/proof.ts';

/** By line item; null: none, at a price above all. */
const SHARES = [30, 50, null] as const;
const EXPECTED = [30, 50, 20] as const;

export const shareOfVoice: Proof = {
  name: 'share-of-voice',
  claim: 'shares of voice of 30 and 50 per cent, and a line item with a higher price, over 3 replicas with allowances',
  expected: '30, 50 and 20 per cent of the requests, each within one per cent of them',
  run: async (rig, scale) => {
    // Of 12,000, one run in 25 is off by one per cent by chance; of 30,000, one in a thousand.
    const requests = scale.of(60_000, 30_000);
    const fleet = await rig.fleet({ replicas: 3 });
    const page = createPage(fleet.url, 32);
    try {
      const booking = await book(fleet.knex, {
        lineItems: SHARES.map((share_of_voice, i) => ({
          ...{ priority: 1, cpm_micros: (i + 1) * 1_000_000, share_of_voice, daily_impression_cap: 10 * requests },
        })),
      });
      await fleet.reload();
      const creatives = booking.creativeIds.map(String);
      const counts = SHARES.map(() => 0);
      let others = 0;
      await inParallel(requests, 32, async (i) => {
        const [bid] = (await page.ask(booking, `user-${i}`)).bids;
        const of = creatives.indexOf(bid?.crid ?? '');
        if (of < 0) others++;
        else counts[of]!++;
      });
      const percents = counts.map((count) => (100 * count) / requests);
      const off = percents.map((percent, i) => Math.abs(percent - EXPECTED[i]!));
      return {
        observed: `${requests} requests: ${percents.map((percent) => percent.toFixed(2)).join(', ')} per cent; ${others} without an ad`,
        ok: Math.max(...off) <= 1 && others === 0,
      };
    } finally {
      await page.close();
      await fleet.close();
    }
  },
};
