import { accountField, type ScriptOptions } from '../ledger-keys.ts';
import { ACCOUNT_LUA } from '../set-aside.ts';
import { COUNT_FIELDS } from './account-books.ts';
import { defineScript } from '../../redis/define-script.ts';
import { loadScript } from '../../redis/load-script.ts';
import { fromRow, luaWriter } from '../../redis/script-fields.ts';

/** The ledger's current counts of one line item or campaign. Money in micros. */
export interface Account {
  /** Day of the publisher, in days since the epoch, of the counts of today. */
  readonly day: number;
  readonly today: DayCounts;
  readonly yesterday: DayCounts;
  readonly totalImpressions: number;
  readonly totalSpendMicros: number;
  readonly totalClicks: number;
  /** Reserved today and neither settled nor released. */
  readonly heldToday: number;
  readonly heldTodayMicros: number;
  readonly heldMicros: number;
  /** 0, or why the account is set aside (set-aside.ts). */
  readonly broken: number;
  /** undefined: pacing has not begun today. */
  readonly pace?: PaceState | undefined;
}

/** The controller's last sample (PID only). */
export interface PaceState {
  readonly hoursBehind: number;
  /** Of the hours behind, in hours². */
  readonly integral: number;
  /** Growth of the hours behind, per hour. */
  readonly slope: number;
  /** The fill rate as a multiple of the day's even rate. */
  readonly factor: number;
}

export interface DayCounts {
  readonly serves: number;
  readonly impressions: number;
  readonly clicks: number;
  readonly spendMicros: number;
}

/** The fields that read-accounts.lua returns for one account. */
const ACCOUNT_FIELDS = [
  ...COUNT_FIELDS,
  'heldToday',
  'heldTodayMicros',
  'heldMicros',
  'isPaced',
  'hoursBehind',
  'integral',
  'slope',
  'factor',
  'broken',
] as const;

export const createAccountReader = ({ redis, keys, clock }: ScriptOptions) => {
  const generated = [...ACCOUNT_LUA, luaWriter('account_row', ACCOUNT_FIELDS)];
  const lua = loadScript(new URL('./read-accounts.lua', import.meta.url), { clock, generated });
  const readRows = defineScript<number[][]>(redis, 'readAccounts', 2, lua);
  /** In the order of `ids`; undefined where there is no account yet. Rejects when Redis is unavailable. */
  const readAs =
    (kind: 'l' | 'c') =>
    async (publisherId: number, ids: readonly number[]): Promise<readonly (Account | undefined)[]> => {
      if (ids.length === 0) return [];
      const fields = ids.map((id) => accountField(kind, id));
      const rows = await readRows(keys.accounts(publisherId), keys.horizon(keys.shardOf(publisherId)), ...fields);
      return rows.map(decodeAccount);
    };
  return { lineItems: readAs('l'), campaigns: readAs('c') };
};

export type AccountReader = ReturnType<typeof createAccountReader>;

const decodeAccount = (row: readonly number[]): Account | undefined => {
  if (row.length === 0) return undefined;
  const a = fromRow(ACCOUNT_FIELDS, row);
  const { day, totalImpressions, totalSpendMicros, totalClicks, heldToday, heldTodayMicros, heldMicros, broken } = a;
  return {
    ...{ day, totalImpressions, totalSpendMicros, totalClicks, heldToday, heldTodayMicros, heldMicros, broken },
    today: { serves: a.serves, impressions: a.impressions, clicks: a.clicks, spendMicros: a.spendMicros },
    yesterday: {
      serves: a.yesterdayServes,
      impressions: a.yesterdayImpressions,
      clicks: a.yesterdayClicks,
      spendMicros: a.yesterdaySpendMicros,
    },
    pace:
      a.isPaced === 1
        ? { hoursBehind: a.hoursBehind / 1000, integral: a.integral / 1000, slope: a.slope / 1000, factor: a.factor / 1000 }
        : undefined,
  };
};
