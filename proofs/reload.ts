import { setTimeout as sleep } from 'node:timers/promises';
import { book, type Booking } from '../testkit/book.ts';
import { openLoop } from '../testkit/open-loop.ts';
import { weighProcess } from '../testkit/weigh-process.ts';
import type { Proof } from './rig/proof.ts';

const MAX_HOLD_MS = 50;

/** Every row has the version of its write; an answer with two versions is inconsistent. */
export const reload: Proof = {
  name: 'reload',
  isAlone: true,
  claim: 'reloads under load, every row stamped with the version of its write',
  expected: `0 torn answers, 0 failed requests, the event loop never held for more than ${MAX_HOLD_MS} ms (CPU time of its thread)`,
  run: async (rig, scale) => {
    const reloads = scale.of(200, 12);
    const fleet = await rig.fleet({ replicas: 3, probed: true });
    // The load, the stores and the balancer share the machine: a reload that waits for a processor is refused after 5 s.
    for (const replica of fleet.replicas) weighProcess(replica.pid(), -20);
    const { page } = fleet;
    try {
      const booking = await book(fleet.knex, { lineItems: Array.from({ length: 1_000 }, () => ({})) });
      const placementIds = [booking.placementId, `${booking.placementId}-b`];
      await fleet
        .knex('placements')
        .insert({ id: placementIds[1], publisher_id: booking.publisherId, width: 300, height: 250, formats: ['html'] });
      const second = booking.creativeIds.slice(0, 500);
      await fleet.knex('creatives').whereIn('id', second).update({ placement_id: placementIds[1] });
      await stamp(fleet.knex, booking, 1);
      await fleet.reload();

      let torn = 0;
      const failures: string[] = [];
      let answers = 0;
      let newest = 0;
      const stopVisits = openLoop(200, async () => {
        const { status, bids, nbr, text } = await page.ask(booking, 'reader', { placementIds });
        answers++;
        if (status !== 200 || bids.length !== 2) {
          failures.push(status === 200 ? `${bids.length} bids, nbr ${nbr}` : `${status} ${text}`);
          return;
        }
        const versions = new Set(bids.flatMap(({ adm, price }) => [Number(adm), Math.round(price * 1_000)]));
        if (versions.size > 1) torn++;
        newest = Math.max(newest, ...versions);
      });
      /** The longest time for which each replica's loop was held while `work` ran. */
      const longestHolds = async (work: () => Promise<void>): Promise<number> => {
        for (const probe of fleet.probes) await probe.watchLoop();
        await work();
        return Math.max(...(await Promise.all(fleet.probes.map((probe) => probe.longestHoldMs()))));
      };
      let refused = 0;
      const reloadAll = async (): Promise<void> => {
        for (let version = 2; version <= reloads + 1; version++) {
          await stamp(fleet.knex, booking, version);
          const replica = fleet.replicas[version % fleet.replicas.length];
          const { status } = await fetch(`${replica?.url}/reload`, { method: 'POST' });
          if (status !== 204) refused++;
        }
      };
      let [before, during] = [NaN, NaN];
      try {
        before = await longestHolds(() => sleep(3_000));
        during = await longestHolds(reloadAll);
      } finally {
        await stopVisits();
      }
      return {
        observed:
          `${reloads} reloads of 1,000 line items (${refused} refused), ${answers} answers of two ads up to version ${newest}: ${torn} torn, ${failures.length} failed${failures.length === 0 ? '' : ` (${[...new Set(failures)].join('; ')})`}; ` +
          `the loop held for at most ${during.toFixed(1)} ms (${before.toFixed(1)} ms in three seconds before the reloads)`,
        ok: torn === 0 && failures.length === 0 && refused === 0 && newest >= reloads && during <= MAX_HOLD_MS,
      };
    } finally {
      await fleet.close();
    }
  },
};

const stamp = (knex: Parameters<typeof book>[0], { campaignId, lineItemIds }: Booking, version: number): Promise<void> =>
  knex.transaction(async (trx) => {
    await trx('line_items')
      .where({ campaign_id: campaignId })
      .update({ cpm_micros: version * 1_000 });
    await trx('creatives')
      .whereIn('line_item_id', lineItemIds)
      .update({ content: String(version) });
  });
