import { setTimeout as sleep } from 'node:timers/promises';
import { readBooks, untilDrained } from '../../testkit/read-books.ts';
import { PATIENCE_MS, eventually, untilTrue } from '../../testkit/until.ts';
import type { Booking } from '../../testkit/book.ts';
import type { EmbeddedStore } from '../../src/embedded/start-embedded-postgres.ts';
import { openPrivateStores, type PrivateStores } from '../../testkit/private-stores.ts';
import { ask, askForBids, openTestFleet, type TestFleet } from './fault-fixtures.ts';
import { readMetric } from '../../testkit/read-metrics.ts';
import { redisPid } from '../../testkit/redis-pid.ts';

let stores: PrivateStores;
let store: EmbeddedStore;
let fleet: TestFleet;

beforeAll(async () => {
  stores = await openPrivateStores('faults');
  store = await stores.startRedis();
  fleet = await openTestFleet(store.url);
});
afterAll(async () => {
  await fleet?.close();
  await stores.stop();
});

const killRedis = async (): Promise<void> => {
  process.kill(await redisPid(fleet.redis), 'SIGKILL');
  await store.stop();
};

const bookings: Booking[] = [];

const bookCapped = async (daily_impression_cap: number): Promise<Booking> => {
  const booking = await fleet.book({ lineItems: [{ daily_impression_cap }] });
  bookings.push(booking);
  return booking;
};

/** Ads that replicas have reserved for further requests. */
const reservedForLater = async (): Promise<number> => {
  const counts = await Promise.all(fleet.replicas.map((replica) => readMetric(replica, 'adserver_allowances_outstanding')));
  return counts.reduce((sum, count) => sum + count, 0);
};

/** Redis holds nothing else, when every ad that was served has been seen. */
const untilNothingElseIsHeld = (): Promise<void> =>
  eventually(async () => {
    const books = await Promise.all(bookings.map((booking) => readBooks(fleet, booking)));
    expect(books.reduce((sum, { counters }) => sum + counters.held, 0)).toBe(await reservedForLater());
  });

test('what Redis reserves after the request was answered without it is free again', async () => {
  const booking = await bookCapped(100_000);
  const before = await ask(fleet, booking, 200);
  const pid = await redisPid(fleet.redis);
  process.kill(pid, 'SIGSTOP');
  const resumed = sleep(400).then(() => process.kill(pid, 'SIGCONT'));
  const during = await ask(fleet, booking, 200);
  await resumed;

  const served = [...before, ...during];
  for (const { impurl } of served) expect(await fleet.pages[0]!.hit(impurl)).toBe(200);
  await untilNothingElseIsHeld();
  const countsServed = async (): Promise<boolean> => {
    const [account] = await fleet.accounts.lineItems(booking.publisherId, booking.lineItemIds);
    return account?.today.serves === served.length;
  };
  expect(await untilTrue(countsServed, PATIENCE_MS, 200)).toBeDefined();
});

test('killing and restarting Redis under traffic neither loses nor duplicates an impression answered 200', async () => {
  const booking = await bookCapped(100_000);
  const bids = await askForBids(fleet, booking, 600);
  expect(bids).toHaveLength(600);
  const acknowledged = new Set<string>();
  const traffic = bids.map(async ({ id, impurl }, i) => {
    await sleep(i * 4);
    // Twice, at both replicas, as a balancer that retries would.
    const statuses = await Promise.all(fleet.pages.map((page) => page.hit(impurl)));
    if (statuses.includes(200)) acknowledged.add(id);
  });
  await sleep(500);
  await killRedis();
  await sleep(800);
  store = await stores.startRedis('', { port: Number(new URL(store.url).port) });
  await Promise.all(traffic);

  expect(acknowledged.size).toBe(600);
  expect(await untilDrained(fleet, 20_000)).toBe(true);
  const { counters, rows, daily } = await readBooks(fleet, booking);
  expect(rows.impression.toSorted()).toEqual([...acknowledged].toSorted());
  expect([counters.impressions, daily.impressions]).toEqual([600, 600]);
  await untilNothingElseIsHeld();
});

test('reservations and counts survive a crash of the replica that made them', async () => {
  const booking = await bookCapped(100);
  const bids = await ask(fleet, booking, 300);
  // The place of a reservation that the disk held up is free a moment later.
  await untilTrue(async () => bids.push(...(await ask(fleet, booking, 100 - bids.length))) >= 100, PATIENCE_MS, 200);
  expect(bids).toHaveLength(100);
  expect(await ask(fleet, booking, 200)).toEqual([]);
  for (const { impurl } of bids.slice(0, 30)) expect(await fleet.pages[0]!.hit(impurl)).toBe(200);
  await fleet.replicas[0]!.kill('SIGKILL');

  const survivor = fleet.pages[1]!;
  const answers = await Promise.all(Array.from({ length: 100 }, () => survivor.ask(booking, 'reader')));
  expect(answers.flatMap((answer) => answer.bids)).toEqual([]);
  for (const { impurl } of bids) expect(await survivor.hit(impurl)).toBe(200);
  // A hit is answered before it is counted where the disk holds Redis up.
  await eventually(async () => {
    const [account] = await fleet.accounts.lineItems(booking.publisherId, booking.lineItemIds);
    expect(account).toMatchObject({ totalImpressions: 100, heldToday: 0, today: { serves: 100, impressions: 100, spendMicros: 100_000 } });
  });
});
