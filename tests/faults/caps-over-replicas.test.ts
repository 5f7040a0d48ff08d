import { inParallel } from '../../testkit/in-parallel.ts';
import { readBooks, untilDrained } from '../../testkit/read-books.ts';
import { untilTrue } from '../../testkit/until.ts';
import type { Booking } from '../../testkit/book.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { ask, openTestFleet, type TestFleet } from './fault-fixtures.ts';

/** Longer than the requests of a test take on a busy machine: a URL is requested, and a place is counted as taken, while its token lives. */
const TOKEN_TTL_MS = 12_000;
/** Reservations expire with their token, plus the margin for a late hit (5 s) and for the fold after it (1 s). */
const RELEASED_WITHIN_MS = 40_000;

let fleet: TestFleet;
beforeAll(async () => {
  fleet = await openTestFleet(await testRedisUrl(), { TOKEN_TTL: `${TOKEN_TTL_MS}ms` });
});
afterAll(() => fleet.close());

test('caps of impressions, spend and frequency hold exactly under 2,000 requests to two replicas, and what was not used is served again', async () => {
  const capped = await fleet.book({ lineItems: [{ daily_impression_cap: 100 }] });
  // 1.333 USD per thousand is 1,333 micros each: 75 of them fit into 0.1 USD.
  const paid = await fleet.book({ lineItems: [{ cpm_micros: 1_333_000, daily_spend_cap_micros: 100_000 }] });
  const frequent = await fleet.book({ lineItems: [{ frequency_cap: 3, frequency_window_s: 3600 }] });
  expect(await ask(fleet, capped, 2_000, { see: 60 })).toHaveLength(100);
  expect(await ask(fleet, paid, 2_000, { see: 50 })).toHaveLength(75);
  expect(await ask(fleet, frequent, 200, { userId: 'one user', see: 1 })).toHaveLength(3);
  expect(await ask(fleet, frequent, 20, { userId: 'one user' })).toEqual([]);
  expect(await ask(fleet, frequent, 20, { userId: 'another user' })).toHaveLength(3);

  expect(await untilTrue(async () => (await isFree(capped)) && (await isFree(paid)), RELEASED_WITHIN_MS)).toBeDefined();
  expect(await ask(fleet, capped, 500, { see: 40 })).toHaveLength(40);
  expect(await ask(fleet, paid, 500, { see: 25 })).toHaveLength(25);
  expect(await untilDrained(fleet)).toBe(true);
  const [ofCapped, ofPaid] = [await readBooks(fleet, capped), await readBooks(fleet, paid)];
  expect([ofCapped.counters.impressions, ofCapped.rows.impression.length]).toEqual([100, 100]);
  expect([ofPaid.counters.spendMicros, ofPaid.rowSpendMicros]).toEqual([75 * 1_333, 75 * 1_333]);

  // A used place is free at the end of the window, an unused one when no late hit can use it any more: now, or a pass of the fold later.
  const again: unknown[] = [];
  const askAgain = async () => again.push(...(await ask(fleet, frequent, 100, { userId: 'one user' }))) >= 2;
  expect(await untilTrue(askAgain, RELEASED_WITHIN_MS, 500)).toBeDefined();
  expect(again).toHaveLength(2);
  expect(await ask(fleet, frequent, 100, { userId: 'one user' })).toEqual([]);
});

test('1,000 replays of one impression URL, at both replicas, bill once and are all answered 200', async () => {
  const booking = await fleet.book();
  const [bid] = await ask(fleet, booking, 1);
  const statuses = new Map<number, number>();
  await inParallel(1_000, 64, async (i) => {
    const status = await fleet.pages[i % 2]!.hit(bid!.impurl);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  });
  expect([...statuses]).toEqual([[200, 1_000]]);
  expect(await untilDrained(fleet)).toBe(true);
  const { counters, rows, rowSpendMicros } = await readBooks(fleet, booking);
  expect([counters.impressions, counters.spendMicros, rows.impression, rowSpendMicros]).toEqual([1, 1_000, [bid!.id], 1_000]);
});

test('ten reloads under load with an invalid row fail no request and exclude only that row', async () => {
  const bad = await fleet.book({ lineItems: [{ cpm_micros: -1 }] });
  const good = await fleet.book();
  let asking = true;
  let unfilled = 0;
  const traffic = [0, 1].map(async (i) => {
    while (asking) if ((await fleet.pages[i]!.ask(good, 'reader')).bids.length !== 1) unfilled++;
  });
  for (let i = 0; i < 10; i++) {
    await fleet
      .knex('creatives')
      .whereIn('id', good.creativeIds)
      .update({ content: `<b>${i}</b>` });
    expect((await fetch(`${fleet.replicas[i % 2]!.url}/reload`, { method: 'POST' })).status).toBe(204);
  }
  asking = false;
  await Promise.all(traffic);
  expect(unfilled).toBe(0);
  expect(await ask(fleet, bad, 10)).toEqual([]);
});

const isFree = async ({ publisherId, lineItemIds }: Booking): Promise<boolean> => {
  const [account] = await fleet.accounts.lineItems(publisherId, lineItemIds);
  return account?.heldToday === 0;
};
