import { dayRuleText, UTC_DAYS, type DayRule } from '../../base/local-day.ts';
import { loadScript } from '../../redis/load-script.ts';
import type { RedisClient } from '../../redis/redis-client.ts';
import { encodeRow, fromRow, luaReader, luaWriter } from '../../redis/script-fields.ts';
import { accountField, type LedgerKeys } from '../ledger-keys.ts';
import { ACCOUNT_LUA } from '../set-aside.ts';

/** The counts of an account that can be compared with rows in Postgres. Money in micros. */
export const COUNT_NAMES = [
  'serves',
  'impressions',
  'clicks',
  'spendMicros',
  'yesterdayServes',
  'yesterdayImpressions',
  'yesterdayClicks',
  'yesterdaySpendMicros',
  'totalImpressions',
  'totalSpendMicros',
  'totalClicks',
] as const;
/** The counts as scripts read and write them; `day` in days since the epoch. */
export const COUNT_FIELDS = ['day', ...COUNT_NAMES] as const;

export type AccountCounts = Readonly<Record<(typeof COUNT_NAMES)[number], number>>;

/** An account of a publisher: a line item ('l') or a campaign ('c'). */
export interface AccountName {
  readonly kind: 'l' | 'c';
  readonly id: number;
}

/** The accounts of a publisher at one moment, and what was then on its way to Postgres. */
export interface CheckedAccounts {
  /** The number of the last adjustment in the shard. */
  readonly adjustment: string;
  /** Fields of the entries in the shard's event stream; undefined: there are too many. */
  readonly entries: readonly (readonly string[])[] | undefined;
  /** In the order of the names; undefined: there is no account. `day` in days since the epoch. */
  readonly accounts: readonly ((AccountCounts & { readonly day: number }) | undefined)[];
}

export interface Adjustment extends AccountName {
  /** What is added to the counts. */
  readonly difference: AccountCounts;
}

/** Compares and corrects accounts. Each method rejects when Redis is unavailable. */
export interface AccountBooks {
  check(publisherId: number, names: readonly AccountName[]): Promise<CheckedAccounts>;
  /**
   * Adds differences to accounts whose day is still `day`. Resolves to how many were changed; none
   * when there was another adjustment in the shard since they were checked.
   */
  adjust(publisherId: number, checked: CheckedAccounts, day: number, adjustments: readonly Adjustment[]): Promise<number>;
}

export interface AccountBooksOptions {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  /** When a hash that an adjustment creates expires, epoch ms. */
  readonly expiresAtMs: (publisherId: number) => number;
  /** The days of a publisher now. Default: those of UTC. */
  readonly daysOf?: ((publisherId: number) => DayRule) | undefined;
  /** Of loadScript. */
  readonly clock?: string | undefined;
}

/** A call with 1,000 events and 100 accounts takes Redis about 2 ms. */
const MAX_EVENTS = 1_000;

export const createAccountBooks = ({ redis, keys, expiresAtMs, daysOf = () => UTC_DAYS, clock }: AccountBooksOptions): AccountBooks => {
  const load = (path: string, generated: string) =>
    loadScript(new URL(path, import.meta.url), { clock, generated: [...ACCOUNT_LUA, generated] });
  redis.defineCommand('checkAccounts', { lua: load('./check-accounts.lua', luaWriter('counts_row', COUNT_FIELDS)), numberOfKeys: 4 });
  redis.defineCommand('adjustAccounts', { lua: load('./adjust-accounts.lua', luaReader('counts_record', COUNT_FIELDS)), numberOfKeys: 2 });
  const scripts = redis as unknown as {
    checkAccounts(...args: (string | number)[]): Promise<[string, string[][] | null, ...number[][]]>;
    adjustAccounts(...args: (string | number)[]): Promise<number>;
  };

  return {
    check: async (publisherId, names) => {
      const shard = keys.shardOf(publisherId);
      const fields = names.map(({ kind, id }) => accountField(kind, id));
      const [adjustment, entries, ...rows] = await scripts.checkAccounts(
        ...[keys.accounts(publisherId), keys.events(shard), keys.adjustment(shard), keys.broken(shard)],
        ...[MAX_EVENTS, ...fields],
      );
      return {
        adjustment,
        entries: entries ?? undefined,
        accounts: rows.map((row) => (row.length === 0 ? undefined : fromRow(COUNT_FIELDS, row))),
      };
    },
    adjust: async (publisherId, { adjustment }, day, adjustments) => {
      const changed = await scripts.adjustAccounts(
        ...[keys.accounts(publisherId), keys.adjustment(keys.shardOf(publisherId))],
        ...[adjustment, Math.ceil(expiresAtMs(publisherId) / 1000), dayRuleText(daysOf(publisherId))],
        ...adjustments.flatMap(({ kind, id, difference }) => [accountField(kind, id), encodeRow(COUNT_FIELDS, { day, ...difference })]),
      );
      return Math.max(changed, 0);
    },
  };
};
