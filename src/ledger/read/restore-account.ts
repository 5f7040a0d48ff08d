import { loadScript } from '../../redis/load-script.ts';
import type { RedisClient } from '../../redis/redis-client.ts';
import { encodeRow, luaReader } from '../../redis/script-fields.ts';
import { ACCOUNT_LUA } from '../set-aside.ts';
import { accountField, type LedgerKeys } from '../ledger-keys.ts';

/** The counts to which an account is raised. */
export const COUNT_FIELDS = [
  'day',
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
] as const;

export interface RestoredAccount extends Readonly<Record<(typeof COUNT_FIELDS)[number], number>> {
  readonly publisherId: number;
  readonly kind: 'l' | 'c';
  readonly id: number;
}

/**
 * Raises an account to these counts. Resolves to whether it was lower somewhere. Rejects when Redis
 * is unavailable.
 */
export type RestoreAccount = (account: RestoredAccount) => Promise<boolean>;

export interface AccountRestorerOptions {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  /** Until when restored accounts are kept, epoch ms. */
  readonly expiresAtMs: number;
  /** Changes nothing. */
  readonly dryRun: boolean;
  /** Of loadScript. */
  readonly clock?: string | undefined;
}

export const createAccountRestorer = ({ redis, keys, expiresAtMs, dryRun, clock }: AccountRestorerOptions): RestoreAccount => {
  const generated = [...ACCOUNT_LUA, luaReader('counts_record', COUNT_FIELDS)];
  redis.defineCommand('restoreAccount', {
    lua: loadScript(new URL('./restore-account.lua', import.meta.url), { clock, generated }),
    numberOfKeys: 1,
  });
  const script = redis as unknown as { restoreAccount(...args: string[]): Promise<number> };
  const expiresAtS = String(Math.ceil(expiresAtMs / 1000));
  return async (account) => {
    const { publisherId, kind, id } = account;
    const counts = encodeRow(COUNT_FIELDS, account);
    const args = [keys.accounts(publisherId), accountField(kind, id), counts, expiresAtS, dryRun ? '1' : '0'];
    return (await script.restoreAccount(...args)) === 1;
  };
};
