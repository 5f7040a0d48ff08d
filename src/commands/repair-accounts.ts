import { dayOf, MS_PER_DAY } from '../base/utc-day.ts';
import { createCountStore } from '../events/postgres/count-store.ts';
import { keepTokenSecret } from '../config/keep-token-secret.ts';
import { readSettings } from '../config/read-settings.ts';
import { COUNT_NAMES, type AccountCounts } from '../ledger/read/account-books.ts';
import { createAccountRepairer } from '../ledger/read/repair-account.ts';
import { createSetAsideReader, type SetAsideAccount } from '../ledger/read/set-aside-accounts.ts';
import { claimRedis } from '../replica/claim-redis.ts';
import { connectStores } from '../replica/connect-stores.ts';

/**
 * `node dist/commands/repair-accounts.js`: lists the accounts that are set aside, and repairs those
 * whose reservations have all ended from the stored events. See docs/operations.md.
 */
const main = async (): Promise<void> => {
  const settings = readSettings(keepTokenSecret(process.env));
  const { databaseUrl, redisUrls } = settings;
  if (databaseUrl === undefined || redisUrls.length === 0) throw new Error('DATABASE_URL and REDIS_URL say which stores to repair.');
  const stores = connectStores(settings, { databaseUrl, redisUrls });
  const { backgroundRedis: redis, keys, knex } = stores;
  try {
    await claimRedis(stores);
    const accounts = await createSetAsideReader({ redis, keys }).list();
    const today = dayOf(Date.now());
    const counts = createCountStore({ knex });
    const campaignsOf = async ({ kind, id }: SetAsideAccount): Promise<readonly number[]> =>
      kind === 'c' ? [id] : await knex('daily_counts').distinct().where({ line_item_id: id }).pluck<number[]>('campaign_id');
    /** Of the stored events, as the daily counts sum them. */
    const countsOf = async (account: SetAsideAccount): Promise<AccountCounts> => {
      const counted = await counts.accounts(today, await campaignsOf(account));
      const { publisherId, kind, id } = account;
      return counted.find((one) => one.publisherId === publisherId && one.kind === kind && one.id === id)?.counts ?? NOTHING_COUNTED;
    };
    const repair = createAccountRepairer({ redis, keys, expiresAtMs: Date.now() + 400 * MS_PER_DAY });
    /** Every event of the account has left the stream: its last token ended before. */
    const isStored = async ({ publisherId, safeAtMs }: SetAsideAccount): Promise<boolean> => {
      const [oldest] = await redis.xrange(keys.events(keys.shardOf(publisherId)), '-', '+', 'COUNT', 1);
      return oldest === undefined || Number.parseInt(oldest[0], 10) > safeAtMs;
    };
    for (const account of accounts) {
      const { publisherId, kind, id, why, safeAtMs } = account;
      const outcome = (await isStored(account)) ? await repair(account, today, await countsOf(account)) : 'too early';
      const wait = outcome === 'too early' ? `, repair it after ${new Date(safeAtMs).toISOString()}` : '';
      console.log(`publisher ${publisherId} ${kind === 'l' ? 'line item' : 'campaign'} ${id}: ${why}: ${outcome}${wait}`);
    }
    console.log(`${accounts.length} accounts were set aside`);
  } finally {
    await stores.close();
  }
};

const NOTHING_COUNTED = Object.fromEntries(COUNT_NAMES.map((name) => [name, 0])) as AccountCounts;

main().catch((fault: unknown) => {
  process.stderr.write(`${fault instanceof Error ? fault.message : String(fault)}\n`);
  process.exit(1);
});
