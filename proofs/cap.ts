import { book } from '../testkit/book.ts';
import { inParallel } from '../testkit/in-parallel.ts';
import { readBooks, untilDrained } from '../testkit/read-books.ts';
import type { Proof } from './rig/proof.ts';

/** What other replicas hold of a cap comes back within this time of the first refusal; until then there are requests. */
const MAX_SHUT_MS = 2_000;

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
        let asked = 0;
        let refusedAt = Infinity;
        const begun = performance.now();
        const visit = async (i: number): Promise<void> => {
          asked++;
          const { bids } = await page.ask(booking, `user-${i}`);
          if (!bids[0]) {
            refusedAt = Math.min(refusedAt, performance.now());
            return;
          }
          served++;
          if ((await page.hit(bids[0].impurl)) === 200) seen++;
        };
        await inParallel(20 * demand, 64, visit, () => asked >= demand && performance.now() - refusedAt >= MAX_SHUT_MS);
        const rate = Math.round(asked / ((performance.now() - begun) / 1000));
        const drained = await untilDrained(fleet);
        const { counters, rows, daily } = await readBooks(fleet, booking);
        const overshoot = Math.max(served, counters.impressions, rows.impression.length) - limit;
        const agree = [served, seen, counters.impressions, rows.impression.length, daily.impressions].every((figure) => figure === limit);
        ok &&= drained && agree;
        results.push(`${counters.impressions}`);
        rig.say(
          `  repeat ${repeat}: ${asked} requests (${rate}/s), served ${served}, seen ${seen}, counted ${counters.impressions}, rows ${rows.impression.length}, overshoot ${overshoot}`,
        );
      }
    } finally {
      await fleet.close();
    }
    return { observed: `${demand} requests and more, cap ${limit}: delivered ${results.join(', ')}`, ok };
  },
};
