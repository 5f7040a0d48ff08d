import { book } from '../testkit/book.ts';
import { inParallel } from '../testkit/in-parallel.ts';
import { readBooks, untilDrained } from '../testkit/read-books.ts';
import type { Proof } from './rig/proof.ts';

const PRICE_MICROS = 1_333;

export const spend: Proof = {
  name: 'spend',
  claim: 'a daily spend cap, and a campaign budget over two line items, at a CPM of 1.333 USD, on 4 replicas',
  expected: 'overspend 0 micro; the last whole impression that fits is sold',
  run: async (rig, scale) => {
    const capMicros = scale.of(10_000_000, 500_000);
    const fits = Math.floor(capMicros / PRICE_MICROS);
    const item = { cpm_micros: PRICE_MICROS * 1_000 };
    const fleet = await rig.fleet({ replicas: 4 });
    const { page } = fleet;
    try {
      const observed: string[] = [];
      let ok = true;
      for (const [what, options] of [
        ['daily cap', { lineItems: [{ ...item, daily_spend_cap_micros: capMicros }] }],
        ['campaign budget', { campaign: { budget_micros: capMicros }, lineItems: [item, item] }],
      ] as const) {
        const booking = await book(fleet.knex, options);
        await fleet.reload();
        await inParallel(fits * 2, 64, async (i) => {
          const { bids } = await page.ask(booking, `user-${i}`);
          if (bids[0]) await page.hit(bids[0].impurl);
        });
        const drained = await untilDrained(fleet);
        const { counters, rowSpendMicros } = await readBooks(fleet, booking);
        const over = Math.max(0, counters.spendMicros - capMicros, rowSpendMicros - capMicros);
        ok &&= drained && over === 0 && counters.spendMicros === fits * PRICE_MICROS && rowSpendMicros === counters.spendMicros;
        observed.push(`${what} ${capMicros} micros: spent ${counters.spendMicros} in Redis, ${rowSpendMicros} in rows, overspend ${over}`);
      }
      return { observed: observed.join('; '), ok };
    } finally {
      await fleet.close();
    }
  },
};
