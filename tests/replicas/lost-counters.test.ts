import { chmodSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { book, withKnex, type Booking } from '../../testkit/book.ts';
import { createPage, type Page } from '../../testkit/create-page.ts';
import { withClient } from '../../testkit/databases.ts';
import { inParallel } from '../../testkit/in-parallel.ts';
import { startLossyRedis, type LossyRedis } from '../../testkit/lossy-redis.ts';
import { keepState, restoreState } from '../../testkit/older-postgres.ts';
import { eventually, untilTrue } from '../../testkit/until.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { testDatabase } from '../setup/test-database.ts';

const CAP = 300;
/** 300 ads at 10 USD CPM. */
const BUDGET_MICROS = 3_000_000;

interface Rig {
  readonly databaseUrl: string;
  readonly redis: LossyRedis;
  readonly replicas: readonly Replica[];
  readonly pages: readonly Page[];
  readonly capped: Booking;
  readonly budgeted: Booking;
}

/** Redis may run under an account of its own. */
const openFolder = (): string => {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  return folder;
};

const open = async (): Promise<Rig> => {
  const databaseUrl = await testDatabase();
  const redis = await startLossyRedis(openFolder());
  atEnd(() => redis.close());
  const [capped, budgeted] = await withKnex(databaseUrl, async (knex) => [
    await book(knex, { lineItems: [{ daily_impression_cap: CAP }] }),
    await book(knex, { campaign: { budget_micros: BUDGET_MICROS }, lineItems: [{ cpm_micros: 10_000_000 }] }),
  ]);
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: redis.url, TOKEN_TTL: '6s' };
  const replicas = await Promise.all([startReplica({ env }), startReplica({ env })]);
  const pages = replicas.map(({ url }) => createPage(url, 8));
  for (const page of pages) atEnd(() => page.close());
  return { databaseUrl, redis, replicas, pages, capped: capped, budgeted: budgeted };
};

/** Asks for `count` ads of both bookings in turn, at both replicas, and renders them. Resolves to how many were rendered. */
const visit = async ({ pages, capped, budgeted }: Rig, count: number): Promise<number> => {
  let seen = 0;
  await inParallel(count, 16, async (i) => {
    const page = pages[(i >> 1) % pages.length]!;
    const { status, bids } = await page.ask(i % 2 === 0 ? capped : budgeted, `user-${i}`);
    expect(status).toBe(200);
    const [bid] = bids;
    if (bid && (await page.hit(bid.impurl)) === 200) seen++;
  });
  return seen;
};

const rows = ({ databaseUrl }: Rig, { lineItemIds }: Booking): Promise<number> =>
  withClient(databaseUrl, async (client) => {
    const { rows: found } = await client.query<{ count: number }>(
      `select count(*)::int as count from events where kind = 'impression' and line_item_id = any($1)`,
      [lineItemIds],
    );
    return found[0]?.count ?? NaN;
  });

/** Goes on asking until both bookings are sold, and for a while after that. */
const sellAll = async (rig: Rig): Promise<void> => {
  const isSold = async (): Promise<boolean> => {
    await visit(rig, 64);
    return (await rows(rig, rig.capped)) >= CAP && (await rows(rig, rig.budgeted)) >= CAP;
  };
  await untilTrue(isSold, 30_000, 200);
  await visit(rig, 600);
  await sleep(2_500);
};

type Loss = (redis: LossyRedis, mark: number) => Promise<void>;

const LOSSES: readonly (readonly [name: string, lose: Loss])[] = [
  ['FLUSHALL', (redis) => redis.flush()],
  ['a restart on an empty disk', (redis) => redis.restartEmpty()],
  ['a restart with older data', (redis, mark) => redis.killAndCut(mark)],
  ['a restart with all of its data', (redis) => redis.restart()],
];

test.each(LOSSES)('after %s a cap and a budget are sold once, and wholly', async (_name, lose) => {
  const rig = await open();
  // What is older has a part of the ads.
  await visit(rig, 120);
  const mark = await rig.redis.mark();
  const before = 120 + (await visit(rig, 280));
  expect(before).toBeGreaterThan(300);
  await lose(rig.redis, mark);
  await sellAll(rig);
  expect([await rows(rig, rig.capped), await rows(rig, rig.budgeted)]).toEqual([CAP, CAP]);
  await eventually(async () => {
    for (const { url } of rig.replicas) expect(await (await fetch(`${url}/ready`)).json()).toEqual({ status: 'ok' });
  });
});

test('impressions that Redis took just before it was killed are not lost, however long it stays away', async () => {
  const rig = await open();
  let seen = await visit(rig, 60);
  const mark = await rig.redis.mark();
  seen += await visit(rig, 100);
  await rig.redis.killAndCut(mark, 12_000);
  await eventually(async () => expect((await rows(rig, rig.capped)) + (await rows(rig, rig.budgeted))).toBe(seen));
});

test('after Postgres was restored to an earlier state, what Redis has counted is not sold again', async () => {
  const rig = await open();
  let seen = await visit(rig, 120);
  await eventually(async () => expect((await rows(rig, rig.capped)) + (await rows(rig, rig.budgeted))).toBe(seen));
  await keepState(rig.databaseUrl);
  seen += await visit(rig, 280);
  await eventually(async () => expect((await rows(rig, rig.capped)) + (await rows(rig, rig.budgeted))).toBe(seen));
  await restoreState(rig.databaseUrl);
  await eventually(async () => {
    const { rows: carried } = await withClient(rig.databaseUrl, (client) =>
      client.query<{ impressions: number }>('select coalesce(sum(impressions), 0)::int as impressions from carried_counts'),
    );
    expect(carried[0]!.impressions).toBe(seen - (await rows(rig, rig.capped)) - (await rows(rig, rig.budgeted)));
  });
  // Lots that replicas have are free after seconds, and what was reserved for a request without an answer when its hold ends.
  await untilTrue(async () => (seen += await visit(rig, 64)) >= 2 * CAP, 30_000, 200);
  seen += await visit(rig, 300);
  expect(seen).toBe(2 * CAP);
  await eventually(async () => {
    const { rows: history } = await withClient(rig.databaseUrl, (client) =>
      client.query<{ after: { reason: string } }>("select after from audit where action = 'rebuild_counters'"),
    );
    expect(history.map(({ after }) => after.reason)).toEqual([expect.stringContaining('Postgres had been restored')]);
  });
});
