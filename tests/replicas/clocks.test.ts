import { setTimeout as sleep } from 'node:timers/promises';
import { book, withKnex, type Booking } from '../../testkit/book.ts';
import { createPage, type Page } from '../../testkit/create-page.ts';
import { withClient } from '../../testkit/databases.ts';
import { startFaultProxy } from '../../testkit/start-fault-proxy.ts';
import { eventually } from '../../testkit/until.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { readMetric } from '../../testkit/read-metrics.ts';

const AHEAD_MS = 61_000;
/** Sets the clock of a replica ahead of the clocks of Redis and Postgres. */
const CLOCK_AHEAD = `--import=data:text/javascript,const%20now=Date.now;Date.now=()=>now()+${AHEAD_MS}`;

let databaseUrl: string;
let env: Record<string, string>;

beforeAll(async () => {
  databaseUrl = await testDatabase();
  env = { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), NODE_OPTIONS: CLOCK_AHEAD };
});

const pageOf = ({ url }: Replica): Page => {
  const page = createPage(url);
  atEnd(() => page.close());
  return page;
};
const report = async ({ url }: Replica, impurl: string): Promise<number> => {
  const token = new URL(impurl, url).searchParams.get('t');
  return (await fetch(`${url}/report`, { method: 'POST', body: JSON.stringify({ token, reason: 'other' }) })).status;
};
const flight = (fromMs: number, toMs: number) => ({ start_at: new Date(Date.now() + fromMs), end_at: new Date(Date.now() + toMs) });
const bookAll = (...lineItems: object[]): Promise<readonly Booking[]> =>
  withKnex(databaseUrl, (knex) => Promise.all(lineItems.map((lineItem) => book(knex, { lineItems: [{ ...lineItem }] }))));

test('a replica 61 s ahead decides by the clock of Redis, and accepts tokens with less than 61 s left', async () => {
  const [always, soon, ending] = (await bookAll({}, flight(30_000, 3_600_000), flight(-3_600_000, 30_000))) as [Booking, Booking, Booking];
  const replica = await startReplica({ env: { ...env, TOKEN_TTL: '60s' } });
  const page = pageOf(replica);
  await eventually(async () => expect(Math.abs((await readMetric(replica, 'adserver_clock_offset_seconds')) - 61)).toBeLessThan(1));

  const filled = await Promise.all([always, soon, ending].map(async (booking) => (await page.ask(booking, 'reader')).bids.length));
  expect(filled).toEqual([1, 0, 1]);
  const [bid] = (await page.ask(always, 'reader')).bids;
  expect([await page.hit(bid!.impurl), await page.hit(bid!.clkurl), await report(replica, bid!.impurl)]).toEqual([200, 200, 201]);
});

test('a replica 61 s ahead that has never reached Redis accepts tokens by the clock of Postgres', async () => {
  const [booking] = (await bookAll({})) as [Booking];
  const other = await startReplica({ env: { ...env, NODE_OPTIONS: '', TOKEN_TTL: '60s' } });
  const [bid] = (await pageOf(other).ask(booking, 'reader')).bids;
  const away = await startFaultProxy(env['REDIS_URL']!);
  atEnd(() => away.close());
  away.set({ kind: 'reset' });
  const replica = await startReplica({ env: { ...env, REDIS_URL: away.url, TOKEN_TTL: '60s' } });
  expect(await readMetric(replica, 'adserver_clock_offset_seconds')).toBeNaN();
  expect([await pageOf(replica).hit(bid!.impurl), await report(replica, bid!.impurl)]).toEqual([200, 201]);
});

test('a token that has ended is refused by the clocks of Redis and Postgres, and counts nothing', async () => {
  const [booking] = (await bookAll({})) as [Booking];
  const replica = await startReplica({ env: { ...env, NODE_OPTIONS: '', TOKEN_TTL: '1s' } });
  const page = pageOf(replica);
  const [bid] = (await page.ask(booking, 'reader')).bids;
  // The end is rounded up to whole seconds.
  await sleep(2_000);
  const urls = [bid!.impurl, bid!.clkurl, `${bid!.evturl}&type=like`];
  expect([...(await Promise.all(urls.map((url) => page.hit(url)))), await report(replica, bid!.impurl)]).toEqual([401, 401, 401, 401]);
  expect(await readMetric(replica, 'adserver_impressions_total')).toBe(0);
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query('select count(*)::int as count from reports where publisher_id = $1', [booking.publisherId]),
  );
  expect(rows).toEqual([{ count: 0 }]);
});
