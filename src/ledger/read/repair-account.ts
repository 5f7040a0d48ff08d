import { defineScript } from '../../redis/define-script.ts';
import { loadScript } from '../../redis/load-script.ts';
import { encodeRow, luaReader } from '../../redis/script-fields.ts';
import { accountField, type ScriptOptions } from '../ledger-keys.ts';
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

export interface AccountRepairerOptions extends ScriptOptions {
  /** Until when repaired accounts are kept, epoch ms. */
  readonly expiresAtMs: number;
}

export const createAccountRepairer = ({ redis, keys, expiresAtMs, clock }: AccountRepairerOptions): RepairAccount => {
  const generated = [...ACCOUNT_LUA, luaReader('counts_record', COUNT_FIELDS)];
  const lua = loadScript(new URL('./repair-account.lua', import.meta.url), { clock, generated });
  const repair = defineScript<number>(redis, 'repairAccount', 3, lua);
  return async ({ publisherId, kind, id, safeAtMs }, day, counts) => {
    const shard = keys.shardOf(publisherId);
    const replaced = await repair(
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
