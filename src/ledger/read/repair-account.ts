import { loadScript } from '../../redis/load-script.ts';
import type { RedisClient } from '../../redis/redis-client.ts';
import { encodeRow, luaReader } from '../../redis/script-fields.ts';
import { accountField, type LedgerKeys } from '../ledger-keys.ts';
import { ACCOUNT_LUA } from '../set-aside.ts';
import { COUNT_FIELDS, type AccountCounts } from './account-books.ts';
import type { SetAsideAccount } from './set-aside-accounts.ts';

/** `too early`: a reservation of the account may still be open, or a late hit not be folded. */
export type RepairOutcome = 'repaired' | 'too early' | 'not set aside';

/**
 * Replaces an account that is set aside by these counts, without reservations. It took none since
 * it was set aside, so after `safeAtMs` the stored events say everything. Rejects when Redis is
 * unavailable.
 *
 * @param day to which the counts of today belong, in days since the epoch
 */
export type RepairAccount = (account: SetAsideAccount, day: number, counts: AccountCounts) => Promise<RepairOutcome>;

export interface AccountRepairerOptions {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  /** Until when repaired accounts are kept, epoch ms. */
  readonly expiresAtMs: number;
  /** Of loadScript. */
  readonly clock?: string | undefined;
}

export const createAccountRepairer = ({ redis, keys, expiresAtMs, clock }: AccountRepairerOptions): RepairAccount => {
  const generated = [...ACCOUNT_LUA, luaReader('counts_record', COUNT_FIELDS)];
  redis.defineCommand('repairAccount', {
    lua: loadScript(new URL('./repair-account.lua', import.meta.url), { clock, generated }),
    numberOfKeys: 3,
  });
  const script = redis as unknown as { repairAccount(...args: string[]): Promise<number> };
  return async ({ publisherId, kind, id, safeAtMs }, day, counts) => {
    const shard = keys.shardOf(publisherId);
    const replaced = await script.repairAccount(
      keys.accounts(publisherId),
      keys.horizon(shard),
      keys.broken(shard),
      accountField(kind, id),
      encodeRow(COUNT_FIELDS, { day, ...counts }),
      String(Math.ceil(expiresAtMs / 1000)),
      String(safeAtMs),
    );
    return replaced === 1 ? 'repaired' : replaced === 0 ? 'too early' : 'not set aside';
  };
};
