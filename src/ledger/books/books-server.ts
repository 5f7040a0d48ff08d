import { dayRuleText, type DayRule } from '../../base/local-day.ts';
import { defineScript } from '../../redis/define-script.ts';
import { loadScript } from '../../redis/load-script.ts';
import type { RedisClient } from '../../redis/redis-client.ts';
import { encodeRow, luaReader } from '../../redis/script-fields.ts';
import { accountField, type LedgerKeys } from '../ledger-keys.ts';
import { COUNT_FIELDS, type AccountCounts, type AccountName } from '../read/account-books.ts';
import { defineReserveLibrary } from '../reserve/reserve-library.ts';
import { ACCOUNT_LUA } from '../set-aside.ts';

/** 'rebuilding': accounts that are not there may have counts that are not rebuilt yet. */
export type BooksState = 'rebuilding' | 'open';

/** What a server says of the content that it has. '' for what is not there. */
export interface BooksContent {
  /** Names the process, and the history of writes that it continues. */
  readonly server: string;
  /** The epoch that the process was found to have all of. */
  readonly trusted: string;
  /** Of its content. */
  readonly epoch: string;
  readonly state: BooksState | '';
  /** The last moment (epoch ms by Postgres) at which Postgres and then this content were written. */
  readonly markMs: number;
  /** Replicas have counted here, of whichever release. */
  readonly isUsed: boolean;
  /** Redis's clock, epoch ms. */
  readonly nowMs: number;
}

/** Reservations of one day that end together. */
export interface RebuiltHold {
  readonly holdEndMs: number;
  /** In days since the epoch. */
  readonly day: number;
  readonly count: number;
  readonly micros: number;
}

export interface RebuiltAccount extends AccountName {
  /** The day of the counts of today, in days since the epoch. */
  readonly day: number;
  readonly counts: AccountCounts;
  readonly holds: readonly RebuiltHold[];
}

export interface RebuildOptions {
  /** The other accounts of the publisher are empty. */
  readonly isWhole: boolean;
  readonly days: DayRule;
}

export interface BooksServerOptions {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  readonly scopeOf: (shard: number) => number;
  /** When the accounts of a publisher expire, epoch ms. */
  readonly expiresAtMs: (publisherId: number) => number;
}

/** Of lua/epoch.lua. */
const EPOCH_FIELD = '#';
const REBUILDING = ' rebuilding';

/** As for the comparison of the books: with so many events a call takes Redis about 2 ms. */
const MAX_EVENTS = 1_000;

/** The books as the servers of Redis have them. Each method rejects when Redis is unavailable. */
export const createBooksServer = ({ redis, keys, scopeOf, expiresAtMs }: BooksServerOptions) => {
  const { trust } = defineReserveLibrary({ redis });
  const load = (path: string, generated: readonly string[] = []) => loadScript(new URL(path, import.meta.url), { generated });
  const rebuildLua = load('./rebuild-accounts.lua', [...ACCOUNT_LUA, luaReader('counts_record', COUNT_FIELDS)]);
  const rebuildAccounts = defineScript<number>(redis, 'rebuildAccounts', 3, rebuildLua);
  const readUnstored = defineScript<string[][] | null>(redis, 'readUnstored', 1, load('./read-unstored.lua'));
  const markBooks = defineScript<number>(redis, 'markBooks', 1, load('./mark-books.lua'));
  const call = async (scope: number, ...args: string[]): Promise<BooksContent> => {
    const reply = await trust(2, keys.epochs(scope), keys.horizon(scope), ...args);
    const [server = '', trusted = '', epoch = '', state = '', mark = 0, isUsed = 0, now = 0] = reply;
    return {
      ...{ server: String(server), trusted: String(trusted), epoch: String(epoch), state: String(state) as BooksState | '' },
      ...{ markMs: Number(mark), isUsed: Number(isUsed) === 1, nowMs: Number(now) },
    };
  };
  return {
    look: (scope: number) => call(scope, 'look'),
    /** The content is of this epoch and `server` has it all: it may be sold from. Resolves to what then is. */
    trust: (scope: number, epoch: string, server: string) => call(scope, 'trust', epoch, server),
    /** Begins an epoch: no account of an earlier one is used any more. Resolves to what then is. */
    open: (scope: number, epoch: string, state: BooksState) => call(scope, 'open', epoch, state),
    /** All accounts of the epoch are rebuilt. */
    complete: async (scope: number, epoch: string) => void (await markBooks(keys.epochs(scope), epoch, 'state', 'open')),
    /** Notes a moment at which Postgres was written. */
    mark: async (scope: number, epoch: string, atMs: number) => void (await markBooks(keys.epochs(scope), epoch, 'mark', String(atMs))),
    /**
     * Which of these campaigns of a publisher are to be rebuilt in an epoch: those whose account is not there, and those of `again` although it
     * is. None when the publisher is whole.
     */
    missingOf: async (
      publisherId: number,
      campaigns: readonly number[],
      epoch: string,
      again?: ReadonlySet<number>,
    ): Promise<readonly number[]> => {
      const fields = campaigns.map((id) => accountField('c', id));
      const [mark, ...accounts] = await redis.hmget(keys.accounts(publisherId), EPOCH_FIELD, ...fields);
      if (mark === epoch) return [];
      return mark === epoch + REBUILDING ? campaigns.filter((id, i) => accounts[i] === null || again?.has(id)) : campaigns;
    },
    /**
     * Which of these campaigns of a publisher this replica alone rebuilds in an epoch for the next `ttlMs`; others that ask leave them to
     * it. Saves work; accounts are written once also without.
     */
    claim: async (publisherId: number, campaigns: readonly number[], epoch: string, ttlMs: number): Promise<readonly number[]> => {
      const replies = await Promise.all(campaigns.map((id) => redis.set(keys.rebuilding(publisherId, id, epoch), '', 'PX', ttlMs, 'NX')));
      return campaigns.filter((_, i) => replies[i] === 'OK');
    },
    /** Fields of the entries in a shard's event stream; undefined: there are too many. */
    unstored: async (shard: number): Promise<readonly (readonly string[])[] | undefined> =>
      (await readUnstored(keys.events(shard), MAX_EVENTS)) ?? undefined,
    /** Writes accounts of a publisher that are not rebuilt yet. Resolves to whether the epoch is still this one. */
    rebuild: async (
      publisherId: number,
      epoch: string,
      accounts: readonly RebuiltAccount[],
      { isWhole, days }: RebuildOptions,
    ): Promise<boolean> => {
      const shard = keys.shardOf(publisherId);
      const written = await rebuildAccounts(
        ...[keys.accounts(publisherId), keys.broken(shard), keys.epochs(scopeOf(shard))],
        ...[epoch, Math.ceil(expiresAtMs(publisherId) / 1000), isWhole ? '1' : '', dayRuleText(days)],
        ...accounts.flatMap(({ kind, id, day, counts, holds }) => [
          accountField(kind, id),
          encodeRow(COUNT_FIELDS, { day, ...counts }),
          JSON.stringify(holds.flatMap((hold) => [hold.holdEndMs, hold.day, hold.count, hold.micros])),
        ]),
      );
      return written >= 0;
    },
  };
};

export type BooksServer = ReturnType<typeof createBooksServer>;
