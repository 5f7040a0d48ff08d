import { setTimeout as sleep } from 'node:timers/promises';
import { NoBidReason } from '../src/decision/no-bid-reason.ts';
import { book, type Booking } from '../testkit/book.ts';
import { createChance } from '../testkit/chance.ts';
import { createPage, type Page } from '../testkit/create-page.ts';
import { inParallel } from '../testkit/in-parallel.ts';
import { readBooks, untilDrained } from '../testkit/read-books.ts';
import type { Replica } from '../testkit/start-replica.ts';
import { untilTrue } from '../testkit/until.ts';
import type { Proof } from './rig/proof.ts';
import { readMetrics } from '../testkit/read-metrics.ts';

/** Parts of the requests that each of four replicas gets. */
const PARTS = [0.8, 0.15, 0.04, 0.01];
/** A replica is filled as the others are, as long as anything is left to sell. */
const MIN_FILL = 0.97;
const MIN_LOT_SHARE = 0.5;
const KILLS = 1_000;
const PRICE_MICROS = 1_333;
/** A round in which nothing was sold for so long has failed: the places of a killed replica are free again within seconds. */
const MAX_STILL_MS = 90_000;

/** One line item under a daily cap and one under a budget, sold out while replicas are killed. */
interface Round {
  readonly capped: Booking;
  readonly budgeted: Booking;
}

/** Half of them for each booking, before it is looked at again how many are sold. */
const VISITS_A_TURN = 500;

/**
 * Replicas with very unequal traffic reserve lots under caps and budgets while they are killed and restarted. Every ad of
 * each cap is sold in the end, and what killed replicas held is free when it ends.
 */
export const allowances: Proof = {
  name: 'allowances',
  claim: `lots of 4 replicas with 80, 15, 4 and 1 % of the traffic, killed (-9) and started again ${KILLS} times in all; new caps and budgets whenever the last are sold out`,
  expected: `overshoot 0, all sold; each replica fills ≥ ${100 * MIN_FILL} % of what it is asked before; nothing held after the last hold's end`,
  run: async (rig, scale) => {
    const cap = scale.of(4_000, 1_500);
    const budget = cap * PRICE_MICROS + 700;
    const kills = scale.of(KILLS, 3);
    // Two at a time, so that they do not take an hour.
    const killers = scale.of(2, 1);
    const fleet = await rig.fleet({ replicas: PARTS.length, env: { TOKEN_TTL: '8s' } });
    const chance = createChance(rig.seed);
    const pages = fleet.replicas.map(({ url }) => createPage(url, 16));
    try {
      const acknowledged = new Set<string>();
      const asked = PARTS.map(() => 0);
      const filled = PARTS.map(() => 0);
      /** Nothing of this round has been refused for lack of places yet, so every request should be filled. */
      let isScarce = false;
      let [killed, byLots, all, late] = [0, 0, 0, 0];
      const noteDecisions = async (replica: Replica): Promise<void> => {
        for (const [series, count] of await readMetrics(replica)) {
          if (!series.startsWith('adserver_reservations_total{')) continue;
          all += count;
          if (series.includes('by="lots"')) byLots += count;
        }
      };
      const visit = async (i: number, booking: Booking): Promise<void> => {
        const at = drawPart(chance());
        const page = pages[at] as Page;
        const { status, bids, nbr } = await page.ask(booking, `user-${i}`);
        // A killed replica answers nothing; a balancer would have asked another.
        if (status !== 200) return sleep(20).then(() => undefined);
        // On a busy machine Redis is late for a replica, which says nothing about places.
        if (nbr === NoBidReason.CountersUnavailable) return void late++;
        const [bid] = bids;
        if (!isScarce) asked[at]!++;
        if (!bid) return;
        if (!isScarce) filled[at]!++;
        for (let attempt = 0; attempt < 20 && !acknowledged.has(bid.id); attempt++) {
          if (attempt > 0) await sleep(100);
          if ((await fleet.page.hit(bid.impurl)) === 200) acknowledged.add(bid.id);
        }
      };
      const kill = async (killer: number): Promise<void> => {
        const own = fleet.replicas.filter((_, i) => i % killers === killer);
        for (let n = 0; killed < kills; n++) {
          killed++;
          await sleep(scale.of(100, 300));
          const victim = own[n % own.length]!;
          await noteDecisions(victim);
          await victim.kill('SIGKILL');
          await victim.start();
        }
      };
      const sold = async (booking: Booking) => (await readBooks(fleet, booking)).counters.impressions;
      const sellOut = async (): Promise<Round> => {
        const cpm_micros = PRICE_MICROS * 1_000;
        const capped = await book(fleet.knex, { lineItems: [{ daily_impression_cap: cap, cpm_micros }] });
        const budgeted = await book(fleet.knex, { lineItems: [{ cpm_micros }], campaign: { budget_micros: budget } });
        // A replica that is killed answers nothing; one that starts meanwhile reads it then.
        const isReloaded = async () => (await fetch(`${fleet.url}/reload`, { method: 'POST' })).status === 204;
        if ((await untilTrue(isReloaded, 30_000, 100)) === undefined) throw new Error('no replica has reloaded');
        const isServed = async () => (await fleet.page.ask(capped, 'probe')).bids.length > 0;
        if ((await untilTrue(isServed, 10_000, 100)) === undefined) throw new Error('what was booked is not served');
        isScarce = false;
        let counts: readonly [number, number] = [0, 0];
        let soldAtMs = performance.now();
        const isSold = (): boolean => counts.every((count) => count >= cap);
        for (let turn = 0; !isSold() && performance.now() - soldAtMs <= MAX_STILL_MS; turn++) {
          await inParallel(VISITS_A_TURN, 32, (i) => visit(turn * VISITS_A_TURN + i, i % 2 === 0 ? capped : budgeted));
          const before = counts;
          counts = await Promise.all([sold(capped), sold(budgeted)]);
          if (counts[0] > before[0] || counts[1] > before[1]) soldAtMs = performance.now();
          // In the next turn places may become rare, and those of killed replicas are still held.
          isScarce ||= counts[0] + VISITS_A_TURN / 2 > 0.8 * cap;
          if (isScarce) await sleep(50);
        }
        return { capped, budgeted };
      };
      let isKilling = true;
      const rounds: Round[] = [];
      const sellWhileKilling = async (): Promise<void> => {
        do {
          rounds.push(await sellOut());
          rig.say(`  ${killed} kills, ${rounds.length} times sold out`);
        } while (isKilling);
      };
      const killing = Promise.all(Array.from({ length: killers }, (_, killer) => kill(killer))).finally(() => (isKilling = false));
      await Promise.all([killing, sellWhileKilling()]);
      const drained = await untilDrained(fleet);
      const bookings = rounds.flatMap(({ capped, budgeted }) => [capped, budgeted]);
      const readAll = () => Promise.all(bookings.map((booking) => readBooks(fleet, booking)));
      // A request opens the accounts, which releases what has ended.
      const isFree = async (): Promise<boolean> => {
        await Promise.all(bookings.map((booking) => fleet.page.ask(booking, 'probe')));
        return (await readAll()).every(({ counters }) => counters.held === 0);
      };
      const freeMs = await untilTrue(isFree, 60_000, 500);
      for (const replica of fleet.replicas) await noteDecisions(replica);
      const books = await readAll();
      const stored = new Set(books.flatMap(({ rows }) => rows.impression));
      const rows = books.reduce((sum, { rows: of }) => sum + of.impression.length, 0);
      const lost = [...acknowledged].filter((id) => !stored.has(id)).length;
      const delivered = books.map(({ counters }) => counters.impressions);
      const overspend = Math.max(...books.filter((_, i) => i % 2 === 1).map(({ counters }) => counters.spendMicros - budget));
      const fills = filled.map((ads, i) => ads / Math.max(asked[i]!, 1));
      const ok =
        drained &&
        delivered.every((count) => count === cap) &&
        overspend <= 0 &&
        lost === 0 &&
        rows === stored.size &&
        freeMs !== undefined &&
        fills.every((fill) => fill >= MIN_FILL) &&
        byLots / all >= MIN_LOT_SHARE;
      return {
        ok,
        observed:
          `${killed} kills, ${rounds.length} rounds; cap ${cap}: delivered ${Math.min(...delivered)} to ${Math.max(...delivered)} each; budget ${budget} micros: overspend ${Math.max(overspend, 0)}; ` +
          `answered 200 ${acknowledged.size}, lost ${lost}, twice ${rows - stored.size}; filled before it was scarce ${fills.map(percent).join(', ')}; ` +
          `${late} more refused because Redis was late; ${percent(byLots / all)} decided from lots; ` +
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
