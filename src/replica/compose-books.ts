import type { Knex } from 'knex';
import type { Catalog } from '../catalog/catalog.ts';
import type { ChangeNotices } from '../catalog/change-notice.ts';
import { UTC_DAYS, type DayRule } from '../base/local-day.ts';
import { IDLE_KEY_TTL_MS } from '../base/utc-day.ts';
import { recordChange } from '../bookings/audit-trail.ts';
import { createBookKeeper } from '../events/books/book-keeper.ts';
import { carryCounts } from '../events/books/carry-counts.ts';
import { EPOCH_REASONS } from '../events/books/judge-content.ts';
import { createRebuildCampaigns } from '../events/books/rebuild-campaigns.ts';
import { createRebuilder } from '../events/books/rebuilder.ts';
import { createMayLower } from '../events/books/may-lower.ts';
import { createCompareAccounts } from '../events/compare-accounts.ts';
import { createBookStore } from '../events/postgres/book-store.ts';
import { createCountStore } from '../events/postgres/count-store.ts';
import { createPrepareAccounts } from '../events/prepare-accounts.ts';
import { createBooksServer } from '../ledger/books/books-server.ts';
import { createAccountBooks } from '../ledger/read/account-books.ts';
import { scopeOfShard, scopesOf } from '../redis/redis-client.ts';
import { createPendingHits } from '../tracking/pending-hits.ts';
import type { Foundation } from './lay-foundation.ts';

/** Whether Redis has what was counted, and the accounts that are rebuilt when it does not. */
export const composeBooks = ({ observe, stores }: Foundation, catalog: Catalog, notices: ChangeNotices) => {
  const { knex, backgroundRedis: redis, backgroundLink: link, keys } = stores;
  const scopeOf = (publisherId: number): number => scopeOfShard(redis, keys.shardOf(publisherId));
  const scopes = scopesOf(redis, keys);
  const store = createBookStore({ knex });
  const pending = createPendingHits({ knex });
  const expiresAtMs = (publisherId: number): number => catalog.current()?.expiresAtMs(publisherId) ?? Date.now() + IDLE_KEY_TTL_MS;
  const daysOf = (publisherId: number): DayRule =>
    catalog.current()?.daysOf(publisherId, link.nowMs(keys.shardOf(publisherId))) ?? UTC_DAYS;
  const server = createBooksServer({ redis, keys, scopeOf: (shard) => scopeOfShard(redis, shard), expiresAtMs });
  const onFailure = observe.storeFailed('rebuild', 'Accounts could not be rebuilt or checked for a loss of data');
  const keeper = createBookKeeper({
    ...{ store, server, scopes, scopeOf },
    patienceMs: stores.patienceMs,
    isUp: link.upOf,
    restoreHits: (hits) => pending.restoreAll(hits.map((hit) => ({ hit, shard: keys.shardOf(hit.ad.publisherId) }))),
    recordLoss: (trx, { scope, reason }) => recordLoss(trx, scope, reason),
    onBegun: (epoch) => {
      notices.announceEpoch(epoch.scope).catch(onFailure);
      observe.booksBegun(epoch);
    },
    onFailure,
  });
  // Accounts are rebuilt when all replicas know the epoch, also those that have no requests.
  notices.onEpoch = (scope) => void keeper.lookNow(scope);
  const rebuilder = createRebuilder({
    ...{ keeper, store, server, scopes, scopeOf },
    rebuildCampaigns: createRebuildCampaigns({ knex, server, shardOf: keys.shardOf }),
    now: (publisherId) => link.nowMs(keys.shardOf(publisherId)),
    onRebuilt: observe.booksRebuilt,
    onFailure,
  });
  let carrying: Promise<void> | undefined;
  /** Once for the fleet: the others wait for the lock, and find nothing. */
  const carry = async (): Promise<void> => {
    const books = createAccountBooks({ redis, keys, expiresAtMs, daysOf });
    const compareAccounts = createCompareAccounts({ knex, books, mayLower: () => Promise.resolve(false) });
    const accounts = await carryCounts({ knex, counts: createCountStore({ knex }), compareAccounts }, link.nowMs(0));
    await store.caughtUp(async (trx) => {
      // With nothing beyond the rows nothing was lost, or another replica was first.
      if (accounts === 0) return;
      await recordLoss(trx, 0, EPOCH_REASONS.behind);
      observe.countsCarried(accounts);
    });
  };
  keeper.onBehind = () => {
    carrying ??= carry()
      .catch(onFailure)
      .finally(() => (carrying = undefined));
  };
  return {
    books: keeper,
    /** Shards whose accounts are being rebuilt. */
    rebuildingShards: () => keeper.rebuilding * (keys.shards / scopes),
    prepareAccounts: createPrepareAccounts({
      ...{ knex, books: createAccountBooks({ redis, keys, expiresAtMs, daysOf }), mayLower: createMayLower({ knex, redis, keys }) },
      now: (publisherId) => link.nowMs(keys.shardOf(publisherId)),
      onFailure,
    }),
    booksSinceMs: (shard: number) => keeper.sinceMs(scopeOfShard(redis, shard)),
    /** Resolves when it is known what Redis has. Rejects when a store is unavailable. */
    start: async (): Promise<void> => {
      rebuilder.start();
      await keeper.start();
    },
    stop: async (): Promise<void> => {
      await rebuilder.stop();
      await keeper.stop();
      await carrying;
    },
  };
};

/** A line in the history. */
const recordLoss = (trx: Knex.Transaction, scope: number, reason: string): Promise<void> =>
  recordChange(trx, {
    ...{ actor: 'service', action: 'rebuild_counters', entity: 'counters', entityId: scope, before: null },
    after: { name: 'Counters', reason },
  });

export type Books = ReturnType<typeof composeBooks>;
