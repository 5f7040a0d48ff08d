import type { Knex } from 'knex';
import type { LedgerKeys } from '../ledger/ledger-keys.ts';
import { COUNT_NAMES, type AccountCounts } from '../ledger/read/account-books.ts';
import type { RepairAccount, RepairOutcome } from '../ledger/read/repair-account.ts';
import { createSetAsideReader, type SetAsideAccount } from '../ledger/read/set-aside-accounts.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import { createCountStore } from './postgres/count-store.ts';

export interface RepairSetAsideOptions {
  readonly knex: Knex;
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  readonly repair: RepairAccount;
  /** In days since the epoch. */
  readonly today: number;
}

/**
 * Repairs each account that is set aside from the stored events, as the daily counts sum them, once
 * its reservations have ended and its events have left the stream. Resolves to all of them with
 * what came of it. Rejects when a store is unavailable.
 */
export const repairSetAside = async ({
  knex,
  redis,
  keys,
  repair,
  today,
}: RepairSetAsideOptions): Promise<readonly (SetAsideAccount & { readonly outcome: RepairOutcome })[]> => {
  const counts = createCountStore({ knex });
  const campaignsOf = async ({ kind, id }: SetAsideAccount): Promise<readonly number[]> =>
    kind === 'c' ? [id] : await knex('daily_counts').distinct().where({ line_item_id: id }).pluck<number[]>('campaign_id');
  const countsOf = async (account: SetAsideAccount): Promise<AccountCounts> => {
    const counted = await counts.accounts(today, await campaignsOf(account));
    const { publisherId, kind, id } = account;
    return counted.find((one) => one.publisherId === publisherId && one.kind === kind && one.id === id)?.counts ?? NOTHING_COUNTED;
  };
  /** Every event of the account has left the stream: its last token ended before. */
  const isStored = async ({ publisherId, safeAtMs }: SetAsideAccount): Promise<boolean> => {
    const [oldest] = await redis.xrange(keys.events(keys.shardOf(publisherId)), '-', '+', 'COUNT', 1);
    return oldest === undefined || Number.parseInt(oldest[0], 10) > safeAtMs;
  };
  const accounts = [];
  for (const account of await createSetAsideReader({ redis, keys }).list()) {
    const outcome = (await isStored(account)) ? await repair(account, today, await countsOf(account)) : 'too early';
    accounts.push({ ...account, outcome });
  }
  return accounts;
};

const NOTHING_COUNTED = Object.fromEntries(COUNT_NAMES.map((name) => [name, 0])) as AccountCounts;
