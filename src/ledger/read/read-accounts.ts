import type { LedgerKeys } from '../ledger-keys.ts';
import { loadScript, type ScriptClock } from '../../redis/load-script.ts';
import type { RedisClient } from '../../redis/redis-client.ts';

/** What stands in an account now. Money in micros. */
export interface Account {
  /** UTC day, in days since the epoch, of the counts of today. */
  readonly day: number;
  readonly today: DayCounts;
  readonly yesterday: DayCounts;
  readonly totalImpressions: number;
  readonly totalSpendMicros: number;
  /** Reserved today and neither settled nor released. */
  readonly heldToday: number;
  readonly heldTodayMicros: number;
  readonly heldMicros: number;
  /** How many selections pacing would allow at once. */
  readonly paceAllowance: number;
  /** Where pacing stands; undefined when it has not begun today. */
  readonly pace?: PaceState | undefined;
}

/** Pacing of one day, as the ledger keeps it. */
export interface PaceState {
  /** Share of the pacing day that had passed, and what was committed, when pacing began today. */
  readonly fromShare: number;
  readonly baseCount: number;
  /** Of the controller's last sample (PID only): hours behind the line, their integral in hours², their growth an hour, the multiple of the day's even rate. */
  readonly hoursBehind: number;
  readonly integral: number;
  readonly slope: number;
  readonly factor: number;
}

export interface DayCounts {
  readonly serves: number;
  readonly impressions: number;
  readonly clicks: number;
  readonly spendMicros: number;
}

export interface AccountReader {
  /** The accounts of line items, in the order asked; undefined where nothing has happened yet. Rejects when Redis is away. */
  lineItems(publisherId: number, ids: readonly number[]): Promise<readonly (Account | undefined)[]>;
  campaigns(publisherId: number, ids: readonly number[]): Promise<readonly (Account | undefined)[]>;
}

interface Script {
  readAccounts(keyCount: number, ...args: string[]): Promise<number[][]>;
}

export const createAccountReader = ({
  redis,
  keys,
  clock,
}: {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  readonly clock?: ScriptClock;
}): AccountReader => {
  redis.defineCommand('readAccounts', { lua: loadScript(new URL('./read-accounts.lua', import.meta.url), clock) });
  const script = redis as unknown as Script;
  const read = async (publisherId: number, fields: readonly string[]): Promise<readonly (Account | undefined)[]> => {
    if (fields.length === 0) return [];
    const replies = await script.readAccounts(2, keys.accounts(publisherId), keys.horizon(keys.shardOf(publisherId)), ...fields);
    return replies.map(decode);
  };
  return {
    lineItems: (publisherId, ids) =>
      read(
        publisherId,
        ids.map((id) => `l${id}`),
      ),
    campaigns: (publisherId, ids) =>
      read(
        publisherId,
        ids.map((id) => `c${id}`),
      ),
  };
};

const decode = (numbers: readonly number[]): Account | undefined => {
  if (numbers.length === 0) return undefined;
  const at = (i: number): number => numbers[i]!;
  return {
    day: at(0),
    today: { serves: at(1), impressions: at(2), clicks: at(3), spendMicros: at(4) },
    yesterday: { serves: at(5), impressions: at(6), clicks: at(7), spendMicros: at(8) },
    totalImpressions: at(9),
    totalSpendMicros: at(10),
    heldToday: at(11),
    heldTodayMicros: at(12),
    heldMicros: at(13),
    paceAllowance: at(14) / 1000,
    pace:
      at(15) === 1
        ? {
            fromShare: at(16) / 1e6,
            baseCount: at(17),
            hoursBehind: at(18) / 1000,
            integral: at(19) / 1000,
            slope: at(20) / 1000,
            factor: at(21) / 1000,
          }
        : undefined,
  };
};
