import { NoBidReason } from '../../src/decision/no-bid-reason.ts';
import { book, type Booking, type BookingOptions } from '../../testkit/book.ts';
import { createPage, type AdReply, type Page, type PageBid } from '../../testkit/create-page.ts';
import { inParallel } from '../../testkit/in-parallel.ts';
import { PATIENCE_MS, untilTrue } from '../../testkit/until.ts';
import { connectStores, type Stores } from '../../testkit/read-books.ts';
import { reloadAll } from '../../testkit/start-replica.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';

/** Two replicas as processes on one Redis and one database, without a balancer: each has its own page. */
export interface TestFleet extends Stores {
  readonly replicas: readonly Replica[];
  readonly pages: readonly Page[];
  /** The same for tracking URLs only, so that they do not queue behind ad requests. */
  readonly trackers: readonly Page[];
  readonly env: Readonly<Record<string, string>>;
  book(options?: BookingOptions): Promise<Booking>;
  reload(): Promise<void>;
  close(): Promise<void>;
}

const CONNECTIONS = 64;

export const openTestFleet = async (redisUrl: string, env: Readonly<Record<string, string>> = {}): Promise<TestFleet> => {
  const databaseUrl = await testDatabase();
  const stores = connectStores({ databaseUrl, redisUrl });
  const ofAll = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    REDIS_TIMEOUT: '100ms',
    LEDGER_SHARDS: String(stores.keys.shards),
    ...env,
  };
  const replicas = await Promise.all([startReplica({ env: ofAll }), startReplica({ env: ofAll })]);
  const pages = replicas.map(({ url }) => createPage(url, CONNECTIONS));
  const trackers = replicas.map(({ url }) => createPage(url, 16));
  const reload = () => reloadAll(replicas);
  return {
    ...stores,
    replicas,
    pages,
    trackers,
    env: ofAll,
    book: async (options) => {
      const booking = await book(stores.knex, options);
      await reload();
      return booking;
    },
    reload,
    close: async () => {
      await Promise.all([...pages, ...trackers].map((page) => page.close()));
      await Promise.all(replicas.map((replica) => replica.kill('SIGKILL')));
      await stores.close();
    },
  };
};

export interface AskOptions {
  readonly userId?: string;
  /** Number of bids whose impression is requested, each when its bid arrives. */
  readonly see?: number;
}

/** Sends ad requests in parallel over all connections, to each page in turn. */
const answersTo = async (fleet: TestFleet, booking: Booking, requests: number, { userId, see = 0 }: AskOptions = {}) => {
  const { pages, trackers } = fleet;
  let seen = 0;
  const answers: AdReply[] = [];
  await inParallel(requests, 2 * CONNECTIONS, async (i) => {
    const answer = await pages[i % pages.length]!.ask(booking, userId ?? `user-${i}`);
    answers.push(answer);
    for (const { impurl } of answer.bids) if (seen++ < see) expect(await trackers[i % trackers.length]!.hit(impurl)).toBe(200);
  });
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  return answers;
};

const bidsOf = (answers: readonly AdReply[]): PageBid[] => answers.flatMap(({ bids }) => bids);

/** Resolves to the bids of all answers. */
export const ask = async (...request: Parameters<typeof answersTo>): Promise<PageBid[]> => bidsOf(await answersTo(...request));

/**
 * Asks until so many bids have come: a durable Redis waits for the disk, and a request that would wait
 * longer than 100 ms is answered without an ad. For no other reason may one be.
 */
export const askForBids = async (fleet: TestFleet, booking: Booking, wanted: number): Promise<readonly PageBid[]> => {
  const bids: PageBid[] = [];
  const haveCome = async (): Promise<boolean> => {
    const answers = await answersTo(fleet, booking, wanted - bids.length);
    const unfilled = answers.filter((answer) => answer.bids.length === 0);
    expect(unfilled.filter(({ nbr }) => nbr !== NoBidReason.CountersUnavailable)).toEqual([]);
    return bids.push(...bidsOf(answers)) >= wanted;
  };
  await untilTrue(haveCome, PATIENCE_MS, 200);
  return bids;
};
