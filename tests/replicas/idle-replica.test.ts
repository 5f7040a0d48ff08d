import { setTimeout as sleep } from 'node:timers/promises';
import { book, withKnex } from '../../testkit/book.ts';
import { createPage, type Page } from '../../testkit/create-page.ts';
import { inParallel } from '../../testkit/in-parallel.ts';
import { openLoop } from '../../testkit/open-loop.ts';
import { untilTrue } from '../../testkit/until.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

const CAP = 3_000;
/** Two seconds are promised, and a busy machine may take longer. A spare that is not asked for is kept for over a minute. */
const MAX_SHUT_MS = 10_000;

test('the last places, which a replica without requests holds, are sold by another one soon after its first refusal', async () => {
  const databaseUrl = await testDatabase();
  const booking = await withKnex(databaseUrl, (knex) => book(knex, { lineItems: [{ daily_impression_cap: CAP }] }));
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), EARNED_HOLDS: 'false' };
  const pageOf = async (): Promise<Page> => {
    const page = createPage((await startReplica({ env })).url, 16);
    atEnd(() => page.close());
    return page;
  };
  const [idle, busy] = await Promise.all([pageOf(), pageOf()]);
  let [served, refused] = [0, 0];
  const ask = async (page: Page): Promise<void> => {
    const { bids } = await page.ask(booking, 'reader');
    if (bids.length > 0) served++;
    else refused++;
  };
  const stop = openLoop(100, () => ask(idle));
  await sleep(3_000);
  await stop();
  expect([served > 200, refused]).toEqual([true, 0]);

  while (refused === 0) await inParallel(16, 16, () => ask(busy));
  expect(served).toBeLessThan(CAP);
  const isSold = async (): Promise<boolean> => {
    await inParallel(16, 16, () => ask(busy));
    return served >= CAP;
  };
  expect(await untilTrue(isSold, MAX_SHUT_MS)).toBeDefined();
  expect(served).toBe(CAP);
});
