import { setTimeout as sleep } from 'node:timers/promises';
import { book, type Booking } from '../testkit/book.ts';
import { createChance } from '../testkit/chance.ts';
import { createPage, type Page } from '../testkit/create-page.ts';
import { inParallel } from '../testkit/in-parallel.ts';
import { readBooks, untilDrained } from '../testkit/read-books.ts';
import { untilTrue } from '../testkit/until.ts';
import type { Proof } from './rig/proof.ts';
import { readMetrics } from '../testkit/read-metrics.ts';

/** Parts of the requests that each of four replicas gets. */
const PARTS = [0.8, 0.15, 0.04, 0.01];
/** A replica is filled as the others are, as long as anything is left to sell. */
const MIN_FILL = 0.97;
const MIN_LOT_SHARE = 0.5;

/**
 * Replicas with very unequal traffic reserve lots under one cap and one budget while they are killed and restarted. Every
 * ad of the cap is sold in the end, and what killed replicas held is free when it ends.
 */
export const allowances: Proof = {
  name: 'allowances',
  claim: 'lots of 4 replicas with 80, 15, 4 and 1 % of the traffic, which are killed (-9) one after the other',
  expected: `overshoot 0, all sold; each replica fills ≥ ${100 * MIN_FILL} % of what it is asked before; nothing held after the last hold's end`,
  run: async (rig, scale) => {
    const cap = scale.of(40_000, 3_000);
    const priceMicros = 1_333;
    const budget = cap * priceMicros + 700;
    const kills = scale.of(30, 3);
    const fleet = await rig.fleet({ replicas: 4, env: { TOKEN_TTL: scale.of('20s', '8s') } });
    const chance = createChance(rig.seed);
    const pages = fleet.replicas.map(({ url }) => createPage(url, 16));
    try {
      const cpm_micros = priceMicros * 1_000;
      const capped = await book(fleet.knex, { lineItems: [{ daily_impression_cap: cap, cpm_micros }] });
      const budgeted = await book(fleet.knex, { lineItems: [{ cpm_micros }], campaign: { budget_micros: budget } });
      await fleet.reload();
      const acknowledged = new Set<string>();
      const asked = PARTS.map(() => 0);
      const filled = PARTS.map(() => 0);
      /** Nothing has been refused for lack of places yet, so every request should be filled. */
      let isScarce = false;
      let isKilling = true;
      let [byLots, all] = [0, 0];
      const noteDecisions = async (replica: { readonly url: string }): Promise<void> => {
        for (const [series, count] of await readMetrics(replica)) {
          if (!series.startsWith('adserver_reservations_total{')) continue;
          all += count;
          if (series.includes('by="lots"')) byLots += count;
        }
      };
      const visit = async (i: number, booking: Booking): Promise<void> => {
        const at = drawPart(chance());
        const page = pages[at] as Page;
        const { status, bids } = await page.ask(booking, `user-${i}`);
        // A killed replica answers nothing; a balancer would have asked another.
        if (status !== 200) return sleep(20).then(() => undefined);
        const [bid] = bids;
        if (!isScarce) asked[at]!++;
        if (!bid) return;
        if (!isScarce) filled[at]!++;
        for (let attempt = 0; attempt < 20 && !acknowledged.has(bid.id); attempt++) {
          if (attempt > 0) await sleep(100);
          if ((await fleet.page.hit(bid.impurl)) === 200) acknowledged.add(bid.id);
        }
      };
      const killing = (async () => {
        for (let n = 0; n < kills; n++) {
          await sleep(scale.of(600, 300));
          const victim = fleet.replicas[n % fleet.replicas.length]!;
          await noteDecisions(victim);
          await victim.kill('SIGKILL');
          await victim.start();
        }
        isKilling = false;
      })();
      const sold = async (booking: Booking) => (await readBooks(fleet, booking)).counters.impressions;
      const isSold = async () => (await sold(capped)) >= cap && (await sold(budgeted)) >= cap;
      const deadline = Date.now() + scale.of(420_000, 90_000);
      for (let round = 0; (isKilling || !(await isSold())) && Date.now() < deadline; round++) {
        await inParallel(1_000, 32, (i) => visit(round * 1_000 + i, i % 2 === 0 ? capped : budgeted));
        // From here on places are rare, and those of killed replicas are still held.
        isScarce ||= (await sold(capped)) > 0.8 * cap;
        if (isScarce) await sleep(50);
      }
      await killing;
      const drained = await untilDrained(fleet);
      const books = [await readBooks(fleet, capped), await readBooks(fleet, budgeted)];
      const held = async () => (await readBooks(fleet, capped)).counters.held + (await readBooks(fleet, budgeted)).counters.held;
      // A request opens the accounts, which releases what has ended.
      const isFree = async (): Promise<boolean> => {
        await Promise.all([capped, budgeted].map((booking) => fleet.page.ask(booking, 'probe')));
        return (await held()) === 0;
      };
      const freeMs = await untilTrue(isFree, 60_000, 500);
      for (const replica of fleet.replicas) await noteDecisions(replica);
      const stored = new Set(books.flatMap(({ rows }) => rows.impression));
      const rows = books.reduce((sum, { rows: of }) => sum + of.impression.length, 0);
      const lost = [...acknowledged].filter((id) => !stored.has(id)).length;
      const counts = books.map(({ counters }) => counters.impressions);
      const overspend = books[1]!.counters.spendMicros - budget;
      const fills = filled.map((ads, i) => ads / Math.max(asked[i]!, 1));
      const ok =
        drained &&
        counts.every((count) => count === cap) &&
        overspend <= 0 &&
        lost === 0 &&
        rows === stored.size &&
        freeMs !== undefined &&
        fills.every((fill) => fill >= MIN_FILL) &&
        byLots / all >= MIN_LOT_SHARE;
      return {
        ok,
        observed:
          `${kills} kills; cap ${cap}: delivered ${counts[0]}; budget ${budget} micros: spent ${books[1]!.counters.spendMicros}; ` +
          `answered 200 ${acknowledged.size}, lost ${lost}, twice ${rows - stored.size}; filled before it was scarce ${fills.map(percent).join(', ')}; ` +
          `${percent(byLots / all)} decided from lots; ` +
          (freeMs === undefined ? 'still held after 60 s' : `nothing held after ${(freeMs / 1000).toFixed(1)} s`),
      };
    } finally {
      await Promise.all(pages.map((page) => page.close()));
      await fleet.close();
    }
  },
};

const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;

const drawPart = (chance: number): number => {
  let sum = 0;
  return Math.max(
    PARTS.findIndex((part) => chance < (sum += part)),
    0,
  );
};
