import { setTimeout as sleep } from 'node:timers/promises';
import { book, type Booking } from '../testkit/book.ts';
import { createChance } from '../testkit/chance.ts';
import type { PageBid } from '../testkit/create-page.ts';
import { inParallel } from '../testkit/in-parallel.ts';
import { lookAtAd } from '../testkit/person.ts';
import { readBooks, untilDrained } from '../testkit/read-books.ts';
import { startBidder } from '../testkit/start-bidder.ts';
import type { Fleet } from './rig/open-fleet.ts';
import type { Finding, Proof } from './rig/proof.ts';

const PRICE_MICROS = 1_333;
/** CPM in USD of the direct line items under one budget, and the daily spend cap of each as a part of the budget. */
const MIXED = [
  { cpm: 50, part: 0.16 },
  { cpm: 12.5, part: 0.12 },
  { cpm: 5, part: 0.12 },
  { cpm: 1.333, part: 0.08 },
  { cpm: 0.777, part: undefined },
] as const;
/** Nothing is left to sell when no request was filled for so long. */
const MAX_UNFILLED_MS = 5_000;
/** A visitor without an ad waits: replicas give back within a second what they had reserved for others. */
const UNFILLED_PAUSE_MS = 50;
const MIN_PRICE_MICROS = 777;
/**
 * The caps leave 27 % of the budget for the line item without one, which is served when the others wait
 * for clicks and viewable impressions, or are reserved by other replicas.
 */
const [CPC_USD, CPC_PART, BIDS_PART] = [0.07, 0.05, 0.15] as const;
const [VCPM_USD, VCPM_PART] = [8, 0.05] as const;
/** Bids are between the prices of the direct line items, so that each request ranks them differently. */
const [MIN_BID_USD, MAX_BID_USD] = [1, 60];
/** One in so many ads that bill clicks, or viewable impressions, is clicked, or viewable. */
const CLICK_ONE_IN = 3;
const VIEWABLE_ONE_IN = 2;
const WIDTH = 64;

export const spend: Proof = {
  name: 'spend',
  claim:
    'a daily spend cap, and a campaign budget over two line items, at a CPM of 1.333 USD; ' +
    'then one budget over line items at CPMs from 0.777 to 50 USD, clicks, viewable impressions and random bids, each with its daily spend cap; on 4 replicas',
  expected: 'overspend 0 micro in Redis and in rows; what is left is less than the cheapest impression; each ad billed as it was answered',
  run: async (rig, scale) => {
    const fleet = await rig.fleet({ replicas: 4 });
    const chance = createChance(rig.seed);
    const bidder = await startBidder(() => Number((MIN_BID_USD + chance() * (MAX_BID_USD - MIN_BID_USD)).toFixed(4)));
    try {
      const findings = [
        ...(await onePrice(fleet, scale.of(10_000_000, 250_000))),
        await mixedPrices(fleet, bidder.endpoint, scale.of(40_000_000, 4_000_000)),
      ];
      return { observed: findings.map(({ observed }) => observed).join('; '), ok: findings.every(({ ok }) => ok) };
    } finally {
      bidder.close();
      await fleet.close();
    }
  },
};

const onePrice = async (fleet: Fleet, capMicros: number): Promise<readonly Finding[]> => {
  const fits = Math.floor(capMicros / PRICE_MICROS);
  const item = { cpm_micros: PRICE_MICROS * 1_000 };
  const limits = [
    { what: 'daily cap', booking: await book(fleet.knex, { lineItems: [{ ...item, daily_spend_cap_micros: capMicros }] }) },
    { what: 'campaign budget', booking: await book(fleet.knex, { campaign: { budget_micros: capMicros }, lineItems: [item, item] }) },
  ];
  await fleet.reload();
  /** Each limit in turn. */
  const visitAll = async (visits: number): Promise<void> => {
    for (const { booking } of limits)
      await inParallel(visits, WIDTH, async (i) => {
        const { bids } = await fleet.page.ask(booking, `user-${i}`);
        if (bids[0]) await fleet.page.hit(bids[0].impurl);
      });
  };
  await visitAll(fits * 2);
  // By then replicas have returned what they had reserved for requests that did not come.
  await sleep(MAX_UNFILLED_MS);
  await visitAll(fits);
  const drained = await untilDrained(fleet);
  return Promise.all(
    limits.map(async ({ what, booking }) => {
      const { counters, rowSpendMicros } = await readBooks(fleet, booking);
      const over = Math.max(0, counters.spendMicros - capMicros, rowSpendMicros - capMicros);
      return {
        ok: drained && over === 0 && counters.spendMicros === fits * PRICE_MICROS && rowSpendMicros === counters.spendMicros,
        observed: `${what} ${capMicros} micros: spent ${counters.spendMicros} in Redis, ${rowSpendMicros} in rows, overspend ${over}`,
      };
    }),
  );
};

/** What one line item billed, by each book. Micros. */
interface Billed {
  readonly cap: number;
  readonly redis: number;
  readonly rows: number;
  /** By the prices of the answers; undefined: clicks and viewable impressions, of which the last bills what is left of the cap. */
  readonly answered: number | undefined;
}

const mixedPrices = async (fleet: Fleet, endpoint: string, budgetMicros: number): Promise<Finding> => {
  const capOf = (part: number): number => Math.round(budgetMicros * part);
  const lineItems = [
    ...MIXED.map(({ cpm, part }) => ({ cpm_micros: cpm * 1e6, daily_spend_cap_micros: part === undefined ? null : capOf(part) })),
    { type: 'programmatic', endpoint, cpm_micros: null, daily_spend_cap_micros: capOf(BIDS_PART) },
    { budget_type: 'CPC', cpm_micros: null, cpc_micros: CPC_USD * 1e6, daily_spend_cap_micros: capOf(CPC_PART), priority: 1 },
    { budget_type: 'VCPM', cpm_micros: VCPM_USD * 1e6, daily_spend_cap_micros: capOf(VCPM_PART), priority: 1 },
  ];
  const [bidsAt, clicksAt, viewsAt] = [MIXED.length, MIXED.length + 1, MIXED.length + 2];
  const booking = await book(fleet.knex, { campaign: { budget_micros: budgetMicros }, lineItems });
  await fleet.reload();

  const answered = lineItems.map(() => 0);
  let [ads, clicks, views, failed] = [0, 0, 0, 0];
  let filledAt = performance.now();
  const countHit = async (url: string): Promise<void> => {
    if ((await fleet.page.hit(url)) !== 200) failed++;
  };
  const use = async (bid: PageBid): Promise<void> => {
    const at = bid.crid === 'bidder' ? bidsAt : booking.creativeIds.indexOf(Number(bid.crid));
    answered[at]! += Math.round(bid.price * 1000);
    await countHit(bid.impurl);
    if (at === viewsAt && views++ % VIEWABLE_ONE_IN === 0) await countHit(`${bid.evturl}&type=viewable`);
    if (at !== clicksAt || clicks++ % CLICK_ONE_IN !== 0) return;
    await lookAtAd();
    await countHit(bid.clkurl);
  };
  // Enough requests for the whole budget at the lowest price. A request may find nothing while clicks are under way, which
  // leave less than their price, or while Redis does not answer.
  const most = Math.ceil(budgetMicros / MIN_PRICE_MICROS) + (3 * WIDTH * MAX_UNFILLED_MS) / UNFILLED_PAUSE_MS;
  await inParallel(
    most,
    WIDTH,
    async (i) => {
      const { bids } = await fleet.page.ask(booking, `user-${i}`);
      for (const bid of bids) await use(bid);
      ads += bids.length;
      if (bids.length > 0) filledAt = performance.now();
      else await sleep(UNFILLED_PAUSE_MS);
    },
    () => performance.now() - filledAt >= MAX_UNFILLED_MS,
  );
  const drained = await untilDrained(fleet);
  const billed = await readBilled(fleet, booking, (at) => ({
    cap: lineItems[at]?.daily_spend_cap_micros ?? budgetMicros,
    answered: at === clicksAt || at === viewsAt ? undefined : answered[at],
  }));
  const campaign = (await fleet.accounts.campaigns(booking.publisherId, [booking.campaignId]))[0]?.totalSpendMicros ?? 0;
  const rows = billed.reduce((sum, one) => sum + one.rows, 0);
  const overs = billed.map(({ cap, redis, rows: stored }) => Math.max(redis, stored) - cap);
  const over = Math.max(0, campaign - budgetMicros, rows - budgetMicros, ...overs);
  const left = budgetMicros - campaign;
  const differing = billed.filter(({ redis, rows: stored, answered: due }) => redis !== stored || (due !== undefined && due !== redis));
  const unsold = billed.flatMap(({ cap, redis }, at) => (MIXED[at]?.part !== undefined && cap - redis >= MIXED[at].cpm * 1000 ? [at] : []));
  return {
    ok: drained && over === 0 && left < MIN_PRICE_MICROS && rows === campaign && differing.length + unsold.length + failed === 0,
    observed:
      `${lineItems.length} prices under ${budgetMicros} micros: ${ads} ads, spent ${campaign} in Redis, ${rows} in rows, overspend ${over}, left ${left}; ` +
      `of bids ${billed[bidsAt]?.redis}, of clicks ${billed[clicksAt]?.redis} of ${billed[clicksAt]?.cap}, of viewable ${billed[viewsAt]?.redis} of ${billed[viewsAt]?.cap}; ` +
      `billed otherwise than answered ${differing.length}, caps not used up ${unsold.length}, hits failed ${failed}${drained ? '' : '; not drained'}`,
  };
};

const readBilled = async (
  { knex, accounts }: Fleet,
  { publisherId, lineItemIds }: Booking,
  due: (at: number) => Pick<Billed, 'cap' | 'answered'>,
): Promise<readonly Billed[]> => {
  const stored = await knex('events')
    .whereIn('line_item_id', lineItemIds)
    .groupBy('line_item_id')
    .select<{ id: number; micros: string }[]>('line_item_id as id', knex.raw('sum(billed_micros) as micros'));
  const micros = new Map(stored.map((row) => [row.id, Number(row.micros)]));
  const held = await accounts.lineItems(publisherId, lineItemIds);
  return lineItemIds.map((id, at) => ({ ...due(at), redis: held[at]?.totalSpendMicros ?? 0, rows: micros.get(id) ?? 0 }));
};
