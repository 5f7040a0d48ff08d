import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import path from 'node:path';
import type { Knex } from 'knex';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../src/embedded/free-port.ts';
import { book, withKnex, type Booking } from '../../testkit/book.ts';
import { createPage } from '../../testkit/create-page.ts';
import { openPrivateStores } from '../../testkit/private-stores.ts';
import { startReplica } from '../../testkit/start-replica.ts';

/** A replica under search: a process with a probe, a crowded placement and tokens to send. */
export interface Target {
  readonly port: number;
  readonly booking: Booking;
  readonly adminToken: string;
  /** Campaigns to delete, with 20 line items each: the first and the last of consecutive ids. */
  readonly spareCampaigns: readonly [number, number];
  /** Tracking tokens of ads that it served, not yet used. */
  readonly tokens: readonly string[];
  /** CPU time of the main thread so far: what the event loop did, wherever it waited. */
  loopNs(): number;
  /** Heap and external memory after a collection, in bytes. */
  heapBytes(): Promise<number>;
  /** Watches the event loop, until `longestHoldMs` says for how long it was held at most. */
  watchLoop(): Promise<unknown>;
  longestHoldMs(): Promise<number>;
  crashes(): number;
  close(): Promise<void>;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROBE = fileURLToPath(new URL('probe.mjs', import.meta.url));
const ADMIN_TOKEN = 'the-token-of-the-staff-of-this-proof';

/** @param dist the build to start; default: this checkout's. Each build migrates its own database. */
export const openTarget = async (dist = path.join(ROOT, 'dist'), lineItems: number): Promise<Target> => {
  const stores = await openPrivateStores('cost');
  try {
    const [postgres, redis] = [await stores.startPostgres(), await stores.startRedis()];
    await migrateBy(dist, postgres.url);
    const booking = await withKnex(postgres.url, async (knex) => {
      const booked = await book(knex, { lineItems: [{}, { frequency_cap: 3, daily_impression_cap: 1_000_000_000 }] });
      // Items that match no request and do not fit most sizes: the worst for whatever visits them one by one.
      await knex.raw(
        `with items as (
           insert into line_items (campaign_id, name, active, start_at, end_at, cpm_micros, priority, targeting)
           select ?, 'item ' || n, true, now() - interval '1 day', now() + interval '30 days', 1000000 + n % 7, 1 + n % 3,
             case when n % 2 = 0 then '{"countries": ["NZ"], "key_values": {"topic": ["sport", "news"]}}'::jsonb else '{"devices": ["tablet"]}'::jsonb end
           from generate_series(1, ?) n returning id)
         insert into creatives (placement_id, line_item_id, format, content, width, height)
         select ?, id, 'html', '<b>ad</b>', 200 + id % 100, 200 + id % 50 from items`,
        [booked.campaignId, lineItems, booked.placementId],
      );
      return booked;
    });
    const spareCampaigns = await withKnex(postgres.url, (knex) => bookSpares(knex, booking));
    const probePort = await freePort();
    const replica = await startReplica({
      dist,
      nodeFlags: ['--expose-gc', '--import', PROBE],
      env: {
        DATABASE_URL: postgres.url,
        REDIS_URL: redis.url,
        TOKEN_SECRET: 'the token secret of the proof of costs',
        ADMIN_TOKEN,
        COST_PROBE_PORT: String(probePort),
        LOG_LEVEL: 'error',
        DRAIN_TIME: '0s',
      },
      readyWithinMs: 60_000,
    });
    const page = createPage(replica.url, 4);
    const tokens: string[] = [];
    for (let i = 0; i < TOKENS; i++) {
      const [bid] = (await page.ask(booking, `reader-${i}`)).bids;
      if (bid) tokens.push(String(new URL(bid.impurl, replica.url).searchParams.get('t')));
    }
    await page.close();
    const agent = new Agent({ keepAlive: true });
    const probe = (asked: string): Promise<number> => readNumber(agent, probePort, asked);
    const schedule = `/proc/${replica.pid()}/task/${replica.pid()}/schedstat`;
    return {
      port: replica.port,
      booking,
      adminToken: ADMIN_TOKEN,
      spareCampaigns,
      tokens,
      loopNs: () => Number(readFileSync(schedule, 'utf8').split(' ', 1)[0]),
      heapBytes: () => probe('/heap'),
      watchLoop: () => probe('/watch'),
      longestHoldMs: () => probe('/delay'),
      crashes: replica.crashes,
      close: async () => {
        agent.destroy();
        await replica.kill('SIGKILL');
        await stores.stop();
      },
    };
  } catch (fault) {
    await stores.stop();
    throw fault;
  }
};

const TOKENS = 20;
const SPARE_CAMPAIGNS = 400;
const SPARE_LINE_ITEMS = 20;

const bookSpares = async (knex: Knex, { publisherId, placementId }: Booking): Promise<readonly [number, number]> => {
  const { rows } = await knex.raw<{ rows: { first: number; last: number }[] }>(
    `with spares as (
       insert into campaigns (publisher_id, name, start_at, end_at)
       select ?, 'spare ' || n, now() - interval '1 day', now() + interval '30 days' from generate_series(1, ?) n returning id),
     items as (
       insert into line_items (campaign_id, name, active, start_at, end_at, cpm_micros, priority)
       select id, 'item ' || n, false, now() - interval '1 day', now() + interval '30 days', 1000000, 2
       from spares, generate_series(1, ?) n returning id),
     shown as (
       insert into creatives (placement_id, line_item_id, format, content) select ?, id, 'html', '<b>ad</b>' from items)
     select min(id) as first, max(id) as last from spares`,
    [publisherId, SPARE_CAMPAIGNS, SPARE_LINE_ITEMS, placementId],
  );
  const [spares] = rows;
  if (!spares) throw new Error('no campaigns were booked');
  return [spares.first, spares.last];
};

const migrateBy = async (dist: string, databaseUrl: string): Promise<void> => {
  const command = ['commands/migrate.js', 'migrate.js'].map((file) => path.join(dist, file)).find((file) => existsSync(file));
  if (command === undefined) throw new Error(`${dist} has no migrate.js`);
  await promisify(execFile)(process.execPath, [command], { env: { ...process.env, DATABASE_URL: databaseUrl } });
};

const readNumber = (agent: Agent, port: number, asked: string): Promise<number> =>
  new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', path: asked, agent }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => (text += String(chunk)));
      answer.on('end', () => resolve(Number(text)));
    })
      .on('error', reject)
      .end();
  });
