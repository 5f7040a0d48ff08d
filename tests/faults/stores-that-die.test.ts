import { setTimeout as sleep } from 'node:timers/promises';
import { readBooks, untilDrained } from '../../testkit/read-books.ts';
import { untilTrue } from '../../testkit/until.ts';
import type { EmbeddedStore } from '../../src/embedded/start-embedded-postgres.ts';
import { openPrivateStores, type PrivateStores } from '../../testkit/private-stores.ts';
import { ask, openTestFleet, type TestFleet } from './fault-fixtures.ts';
import { readMetric } from '../../testkit/read-metrics.ts';

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
  const pid = Number(/^process_id:(\d+)/m.exec(await fleet.redis.info('server'))?.[1]);
  process.kill(pid, 'SIGKILL');
  await store.stop();
};

/** Ads that replicas have reserved for further requests. */
const reservedForLater = async (): Promise<number> => {
  const counts = await Promise.all(fleet.replicas.map((replica) => readMetric(replica, 'adserver_allowances_outstanding')));
  return counts.reduce((sum, count) => sum + count, 0);
};

test('killing and restarting Redis under traffic neither loses nor duplicates an impression answered 200', async () => {
  const booking = await fleet.book({ lineItems: [{ daily_impression_cap: 100_000 }] });
  const bids = await ask(fleet, booking, 600);
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
  // What is held is what replicas have reserved for further requests.
  const isReserved = async () => (await readBooks(fleet, booking)).counters.held === (await reservedForLater());
  expect(await untilTrue(isReserved, 10_000, 200)).toBeDefined();
}, 60_000);

test('reservations and counts survive a crash of the replica that made them', async () => {
  const booking = await fleet.book({ lineItems: [{ daily_impression_cap: 100 }] });
  const bids = await ask(fleet, booking, 300);
  expect(bids).toHaveLength(100);
  for (const { impurl } of bids.slice(0, 30)) expect(await fleet.pages[0]!.hit(impurl)).toBe(200);
  await fleet.replicas[0]!.kill('SIGKILL');

  const survivor = fleet.pages[1]!;
  const answers = await Promise.all(Array.from({ length: 100 }, () => survivor.ask(booking, 'reader')));
  expect(answers.flatMap((answer) => answer.bids)).toEqual([]);
  for (const { impurl } of bids) expect(await survivor.hit(impurl)).toBe(200);
  const [account] = await fleet.accounts.lineItems(booking.publisherId, booking.lineItemIds);
  expect(account).toMatchObject({ totalImpressions: 100, heldToday: 0, today: { serves: 100, impressions: 100, spendMicros: 100_000 } });
});
