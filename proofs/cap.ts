import { book } from '../testkit/book.ts';
import { inParallel } from '../testkit/in-parallel.ts';
import { readBooks, untilDrained } from '../testkit/read-books.ts';
import type { Proof } from './rig/proof.ts';

/** Requests ads and the impression of every bid: the highest possible demand on a cap. */
export const cap: Proof = {
  name: 'cap',
  claim: 'a daily impression cap under more demand than it allows, on 4 replicas at 64 connections',
  expected: 'overshoot 0; as many delivered as the cap allows, in every repeat',
  run: async (rig, scale) => {
    const limit = scale.of(10_000, 1_000);
    const demand = limit * 5;
    const repeats = scale.of(5, 1);
    const fleet = await rig.fleet({ replicas: 4 });
    const { page } = fleet;
    const results: string[] = [];
    let ok = true;
    try {
      for (let repeat = 1; repeat <= repeats; repeat++) {
        const booking = await book(fleet.knex, { lineItems: [{ daily_impression_cap: limit }] });
        await fleet.reload();
        let served = 0;
        let seen = 0;
        const begun = performance.now();
        await inParallel(demand, 64, async (i) => {
          const { bids } = await page.ask(booking, `user-${i}`);
          if (!bids[0]) return;
          served++;
          if ((await page.hit(bids[0].impurl)) === 200) seen++;
        });
        const rate = Math.round(demand / ((performance.now() - begun) / 1000));
        const drained = await untilDrained(fleet);
        const { counters, rows, daily } = await readBooks(fleet, booking);
        const overshoot = Math.max(served, counters.impressions, rows.impression.length) - limit;
        const agree = [served, seen, counters.impressions, rows.impression.length, daily.impressions].every((figure) => figure === limit);
        ok &&= drained && agree;
        results.push(`${counters.impressions}`);
        rig.say(
          `  repeat ${repeat}: ${demand} requests (${rate}/s), served ${served}, seen ${seen}, counted ${counters.impressions}, rows ${rows.impression.length}, overshoot ${overshoot}`,
        );
      }
    } finally {
      await fleet.close();
    }
    return { observed: `${demand} requests, cap ${limit}: delivered ${results.join(', ')}`, ok };
  },
};
