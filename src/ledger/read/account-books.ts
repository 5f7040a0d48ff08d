import { dayRuleText, UTC_DAYS, type DayRule } from '../../base/local-day.ts';
import { defineScript } from '../../redis/define-script.ts';
import { loadScript } from '../../redis/load-script.ts';
import { encodeRow, fromRow, luaReader, luaWriter } from '../../redis/script-fields.ts';
import { accountField, type ScriptOptions } from '../ledger-keys.ts';
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

export interface AccountBooksOptions extends ScriptOptions {
  /** When a hash that an adjustment creates expires, epoch ms. */
  readonly expiresAtMs: (publisherId: number) => number;
  /** The days of a publisher now. Default: those of UTC. */
  readonly daysOf?: ((publisherId: number) => DayRule) | undefined;
}

/** A call with 1,000 events and 100 accounts takes Redis about 2 ms. */
const MAX_EVENTS = 1_000;

/** Compares and corrects accounts. Each method rejects when Redis is unavailable. */
export const createAccountBooks = ({ redis, keys, expiresAtMs, daysOf = () => UTC_DAYS, clock }: AccountBooksOptions) => {
  const load = (path: string, generated: string) =>
    loadScript(new URL(path, import.meta.url), { clock, generated: [...ACCOUNT_LUA, generated] });
  const checkLua = load('./check-accounts.lua', luaWriter('counts_row', COUNT_FIELDS));
  const adjustLua = load('./adjust-accounts.lua', luaReader('counts_record', COUNT_FIELDS));
  const checkAll = defineScript<[string, string[][] | null, ...number[][]]>(redis, 'checkAccounts', 4, checkLua);
  const adjustAll = defineScript<number>(redis, 'adjustAccounts', 2, adjustLua);
  return {
    check: async (publisherId: number, names: readonly AccountName[]): Promise<CheckedAccounts> => {
      const shard = keys.shardOf(publisherId);
      const fields = names.map(({ kind, id }) => accountField(kind, id));
      const [adjustment, entries, ...rows] = await checkAll(
        ...[keys.accounts(publisherId), keys.events(shard), keys.adjustment(shard), keys.broken(shard)],
        ...[MAX_EVENTS, ...fields],
      );
      return {
        adjustment,
        entries: entries ?? undefined,
        accounts: rows.map((row) => (row.length === 0 ? undefined : fromRow(COUNT_FIELDS, row))),
      };
    },
    /**
     * Adds differences to accounts whose day is still `day`. Resolves to how many were changed; none
     * when there was another adjustment in the shard since they were checked.
     */
    adjust: async (
      publisherId: number,
      { adjustment }: CheckedAccounts,
      day: number,
      adjustments: readonly Adjustment[],
    ): Promise<number> => {
      const changed = await adjustAll(
        ...[keys.accounts(publisherId), keys.adjustment(keys.shardOf(publisherId))],
        ...[adjustment, Math.ceil(expiresAtMs(publisherId) / 1000), dayRuleText(daysOf(publisherId))],
        ...adjustments.flatMap(({ kind, id, difference }) => [accountField(kind, id), encodeRow(COUNT_FIELDS, { day, ...difference })]),
      );
      return Math.max(changed, 0);
    },
  };
};

export type AccountBooks = ReturnType<typeof createAccountBooks>;
