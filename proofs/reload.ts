import { setTimeout as sleep } from 'node:timers/promises';
import { book, type Booking } from '../testkit/book.ts';
import { openLoop } from '../testkit/open-loop.ts';
import { percentile } from '../testkit/statistics.ts';
import type { Proof } from './rig/proof.ts';
import { weighProcess } from '../testkit/weigh-process.ts';
import { readMetrics } from '../testkit/read-metrics.ts';

const MAX_LAG_MS = 50;

/** Every row has the version of its write; an answer with two versions is inconsistent. */
export const reload: Proof = {
  name: 'reload',
  claim: 'reloads under load, every row stamped with the version of its write',
  expected: `0 torn answers, 0 failed requests, event-loop lag (p99 between two scrapes) ≤ ${MAX_LAG_MS} ms, on a machine that is calm before the reloads`,
  run: async (rig, scale) => {
    const reloads = scale.of(200, 12);
    const fleet = await rig.fleet({ replicas: 3 });
    // The load, the stores and the balancer share the machine: lag from waiting for a processor says nothing about the reload.
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
      const lags: number[] = [];
      const mostLags: number[] = [];
      // A scrape reads the lag since the previous scrape.
      const readLag = async (): Promise<void> => {
        for (const replica of fleet.replicas) {
          const metrics = await readMetrics(replica);
          const figure = (name: string) => (metrics.get(`nodejs_eventloop_lag_${name}_seconds`) ?? NaN) * 1_000;
          lags.push(figure('p99'));
          mostLags.push(figure('max'));
        }
      };
      /** The lag without reloads, of the first calm 3 s. */
      const calm = async (attempts: number): Promise<number> => {
        await readLag();
        lags.length = mostLags.length = 0;
        await sleep(3_000);
        await readLag();
        const lag = Math.round(Math.max(...lags));
        lags.length = mostLags.length = 0;
        return lag > MAX_LAG_MS / 2 && attempts > 1 ? calm(attempts - 1) : lag;
      };
      const calmLag = await calm(10);
      let refused = 0;
      try {
        for (let version = 2; version <= reloads + 1; version++) {
          await stamp(fleet.knex, booking, version);
          const replica = fleet.replicas[version % fleet.replicas.length];
          const { status } = await fetch(`${replica?.url}/reload`, { method: 'POST' });
          if (status !== 204) refused++;
          if (version % 10 === 0) await readLag();
        }
      } finally {
        await stopVisits();
      }
      await sleep(100);
      const lag = Math.round(Math.max(...lags));
      return {
        observed:
          `${reloads} reloads of 1,000 line items (${refused} refused), ${answers} answers of two ads up to version ${newest}: ${torn} torn, ${failures.length} failed${failures.length === 0 ? '' : ` (${[...new Set(failures)].join('; ')})`}; ` +
          `lag p99 ${lag} ms at the worst (${calmLag} ms before the reloads), median ${Math.round(percentile(lags, 0.5))} ms, longest single delay ${Math.round(Math.max(...mostLags))} ms`,
        ok: torn === 0 && failures.length === 0 && refused === 0 && newest >= reloads && lag <= MAX_LAG_MS,
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
