import { book } from '../testkit/book.ts';
import { createPage } from '../testkit/create-page.ts';
import type { Proof } from './rig/proof.ts';

export const badRows: Proof = {
  name: 'bad-rows',
  claim:
    'rows that cannot be served: a rate that is not a number, a negative price, a flight without an end, invalid JSON, a dangling foreign key',
  expected: 'each set aside with its children and counted; all else serves',
  run: async (rig) => {
    const fleet = await rig.fleet({ replicas: 3 });
    try {
      const good = await book(fleet.knex);
      const bad = [
        await book(fleet.knex, { lineItems: [{ rate_limit: NaN }] }),
        await book(fleet.knex, { lineItems: [{ cpm_micros: -5 }] }),
        await book(fleet.knex, { lineItems: [{ end_at: fleet.knex.raw("'infinity'") }] }),
        await book(fleet.knex, { creative: { format: 'banner', content: '{"image": ' } }),
        await book(fleet.knex),
        await book(fleet.knex, { lineItems: [{ targeting: JSON.stringify({ countries: 'all' }) }] }),
      ];
      const dangling = bad[4];
      // Foreign key checks are disabled, as in a database that was restored or repaired by hand.
      await fleet.knex.transaction(async (trx) => {
        await trx.raw('set local session_replication_role = replica');
        await trx('line_items').where({ id: dangling?.lineItemIds[0] }).update({ campaign_id: 999_999 });
      });
      await fleet.reload();
      const wrong: string[] = [];
      for (const { url } of fleet.replicas) {
        const direct = createPage(url, 4);
        if ((await direct.ask(good, 'reader')).bids.length !== 1) wrong.push('the good line item does not serve');
        for (const [i, booking] of bad.entries()) {
          const { status, bids } = await direct.ask(booking, 'reader');
          if (status !== 200 || bids.length > 0) wrong.push(`bad row ${i}: ${status}, ${bids.length} bids`);
        }
        await direct.close();
      }
      // Each of the six is set aside with its creative; the invalid creative alone.
      const expected = fleet.replicas.length * (5 * 2 + 1);
      const counted = await fleet.metric('adserver_snapshot_quarantined_rows');
      return {
        observed: `${bad.length} bad rows on ${fleet.replicas.length} replicas: ${counted} rows set aside (expected ${expected}); ${wrong.join('; ') || 'all else serves'}`,
        ok: wrong.length === 0 && counted === expected,
      };
    } finally {
      await fleet.close();
    }
  },
};
