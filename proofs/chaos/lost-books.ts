import { MS_PER_DAY } from '../../src/base/utc-day.ts';
import { createBookKeeper, type BookKeeper } from '../../src/events/books/book-keeper.ts';
import { createRebuildCampaigns } from '../../src/events/books/rebuild-campaigns.ts';
import { createRebuilder } from '../../src/events/books/rebuilder.ts';
import { createBookStore } from '../../src/events/postgres/book-store.ts';
import { createBooksServer } from '../../src/ledger/books/books-server.ts';
import { VIRTUAL_CLOCK_KEY, type LedgerKeys } from '../../src/ledger/ledger-keys.ts';
import type { PendingHits } from '../../src/tracking/pending-hits.ts';
import { untilTrue } from '../../testkit/until.ts';
import type { Lane } from './lane.ts';
import type { Loss } from './story.ts';

export interface LostBooksOptions {
  readonly lane: Lane;
  readonly keys: LedgerKeys;
  readonly pending: Pick<PendingHits, 'restoreAll'>;
  readonly nowMs: () => number;
  readonly onFailure: (fault: Error) => void;
}

/** Redis that loses what it has counted, and the replicas' books of it. */
export interface LostBooks {
  /**
   * By replica. A process that is killed leaves what it was granted to the one in its place: in stories a replica and
   * Redis do not fail within one second.
   */
  keeper(replica: number): BookKeeper;
  /** Copies what Redis has, for `older`. */
  keep(): Promise<void>;
  /** Redis loses its data, or is another process. */
  lose(how: Loss): Promise<void>;
  /** A replica writes what it was granted to Postgres. */
  beat(replica: number): Promise<void>;
  /** Every replica finds out, and all accounts are rebuilt. */
  recover(): Promise<void>;
  close(): Promise<void>;
}

const MAX_REBUILD_MS = 30_000;

export const openLostBooks = async (options: LostBooksOptions): Promise<LostBooks> => {
  const { lane, keys, pending, nowMs, onFailure } = options;
  const { redis } = lane.background;
  const store = createBookStore({ knex: lane.knex });
  const server = createBooksServer({ redis, keys, scopeOf: () => 0, expiresAtMs: () => nowMs() + 400 * MS_PER_DAY });
  const restoring: Promise<void>[] = [];
  const keepers = lane.replicas.map(() =>
    createBookKeeper({
      ...{ store, server, scopes: 1, scopeOf: () => 0, patienceMs: 100, isUp: () => true, onFailure },
      restoreHits: (hits) => {
        const restored = pending.restoreAll(hits.map((hit) => ({ hit, shard: keys.shardOf(hit.ad.publisherId) })));
        restoring.push(restored);
        return restored;
      },
      ...{ recordLoss: () => Promise.resolve(), onBegun: () => undefined },
    }),
  );
  const [first] = keepers as [BookKeeper];
  const rebuilder = createRebuilder({
    ...{ keeper: first, store, server, scopes: 1, scopeOf: () => 0, now: nowMs, onFailure },
    rebuildCampaigns: createRebuildCampaigns({ knex: lane.knex, server, shardOf: keys.shardOf }),
    onRebuilt: () => undefined,
  });
  rebuilder.start();
  const { onRefused, onLearned } = first;
  /** Nobody looks before the story says so: until then everything is refused. */
  let isLost = false;
  for (const keeper of keepers) keeper.onRefused = (...of) => (isLost ? undefined : onRefused(...of));
  first.onLearned = (scope) => (isLost ? undefined : onLearned(scope));

  const everyone = async (work: (keeper: BookKeeper) => Promise<void>): Promise<void> => {
    for (const keeper of keepers) await work(keeper);
    await Promise.all(restoring.splice(0));
  };
  const recover = async (): Promise<void> => {
    isLost = false;
    await everyone((keeper) => keeper.verify(0));
    await everyone((keeper) => keeper.noted(0));
    await everyone((keeper) => keeper.beat());
    await untilTrue(async () => {
      await first.beat();
      return first.rebuilding === 0;
    }, MAX_REBUILD_MS);
    await everyone((keeper) => keeper.beat());
  };
  let copy = new Map<string, Buffer>();
  await recover();

  return {
    keeper: (replica) => keepers[replica]!,
    keep: async () => {
      copy = new Map();
      for (const key of await redis.keys('*')) {
        const dumped = await redis.dumpBuffer(key);
        if (dumped) copy.set(key, dumped);
      }
    },
    lose: async (how) => {
      isLost = true;
      const time = String(await redis.get(VIRTUAL_CLOCK_KEY));
      // The clock is never without a time.
      if (how !== 'restart') await redis.multi().flushdb().set(VIRTUAL_CLOCK_KEY, time).exec();
      if (how === 'older') for (const [key, dumped] of copy) await redis.restore(key, 0, dumped, 'REPLACE');
      await redis.set(VIRTUAL_CLOCK_KEY, time);
      // Another process has another history and no library, as after a restart or a failover.
      if (how !== 'flush') {
        await redis.function('FLUSH');
        // At once: in between, writes would be refused.
        await redis.multi().replicaof('127.0.0.1', '1').replicaof('NO', 'ONE').exec();
      }
    },
    beat: async (replica) => {
      if (!isLost) await keepers[replica]?.beat();
    },
    recover,
    close: async () => {
      isLost = true;
      await rebuilder.stop();
    },
  };
};
