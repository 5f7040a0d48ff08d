import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { accountField, accountsOfServes, type LedgerKeys } from '../ledger/ledger-keys.ts';
import { COUNT_NAMES, type AccountCounts } from '../ledger/read/account-books.ts';
import type { RepairAccount, RepairOutcome } from '../ledger/read/repair-account.ts';
import { createReadUnstored, entryMs } from '../ledger/read/oldest-unstored.ts';
import { createSetAsideReader, type SetAsideAccount } from '../ledger/read/set-aside-accounts.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import { dayOfAccount } from './account-events.ts';
import { createCountStore } from './postgres/count-store.ts';
import { readSums, type CountedAccount } from './postgres/counted-accounts.ts';
import { rollUpAll } from './postgres/roll-up-batches.ts';

export interface RepairSetAsideOptions {
  readonly knex: Knex;
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  readonly repair: RepairAccount;
  /** The day of a publisher, in days since the epoch. */
  readonly todayOf: (publisherId: number) => number;
  /** How long to wait for the events of a shard to be stored. Default: 10 s. */
  readonly waitMs?: number;
}

const DEFAULT_WAIT_MS = 10_000;
const POLL_MS = 50;

/**
 * Repairs each account that is set aside from the stored events, as the daily counts sum them, once
 * its reservations have ended and its events are stored. Resolves to all of them with
 * what came of it. Rejects when a store is unavailable.
 */
export const repairSetAside = async ({
  knex,
  redis,
  keys,
  repair,
  todayOf,
  waitMs = DEFAULT_WAIT_MS,
}: RepairSetAsideOptions): Promise<readonly (SetAsideAccount & { readonly outcome: RepairOutcome })[]> => {
  const counts = createCountStore({ knex });
  const readUnstored = createReadUnstored({ redis, keys });
  const campaignsOf = async ({ kind, id }: SetAsideAccount): Promise<readonly number[]> =>
    kind === 'c' ? [id] : await knex('daily_counts').distinct().where({ line_item_id: id }).pluck<number[]>('campaign_id');
  const countsOn = async (account: SetAsideAccount, day: number): Promise<CountedAccount | undefined> => {
    const counted = await counts.accounts(day, await campaignsOf(account));
    const { publisherId, kind, id } = account;
    return counted.find((one) => one.publisherId === publisherId && one.kind === kind && one.id === id);
  };
  const repairNow = async (account: SetAsideAccount): Promise<RepairOutcome> => {
    const publishersDay = todayOf(account.publisherId);
    const day = dayOfAccount(publishersDay, (await countsOn(account, publishersDay))?.latestDay ?? null, []);
    const counted = await countsOn(account, day);
    return await repair(account, day, counted ? readSums(counted.sums) : NOTHING_COUNTED);
  };
  /** Whether serves of the account are not in the daily counts yet. */
  const hasNewServes = async ({ publisherId, kind, id }: SetAsideAccount): Promise<boolean> => {
    const changed = await redis.smembers(keys.changedServes(keys.shardOf(publisherId)));
    const field = accountField(kind, id);
    return changed.some((text) => accountsOfServes(text).includes(field));
  };
  /**
   * Whether every event of the account has its row, and every serve is counted. No hit comes once the fold horizon has passed the
   * end of its last token; those that came before, a late fold among them, must have left the stream.
   */
  const isStored = async (account: SetAsideAccount): Promise<boolean> => {
    const { publisherId, safeAtMs } = account;
    const shard = keys.shardOf(publisherId);
    if (Number(await redis.get(keys.horizon(shard))) < safeAtMs) return false;
    const [latest] = await redis.xrevrange(keys.events(shard), '+', '-', 'COUNT', 1);
    // Of one millisecond there may be a later one: it is waited for too.
    const hasNewEvents = async (): Promise<boolean> =>
      latest !== undefined && entryMs((await readUnstored(shard)).oldest) <= entryMs(latest[0]);
    const until = performance.now() + waitMs;
    while ((await hasNewEvents()) || (await hasNewServes(account))) {
      if (performance.now() >= until) return false;
      await sleep(POLL_MS);
    }
    return true;
  };
  await rollUpAll(knex);
  const accounts = [];
  for (const account of await createSetAsideReader({ redis, keys }).list()) {
    const outcome = (await isStored(account)) ? await repairNow(account) : 'too early';
    accounts.push({ ...account, outcome });
  }
  return accounts;
};

const NOTHING_COUNTED = Object.fromEntries(COUNT_NAMES.map((name) => [name, 0])) as AccountCounts;
