import { once } from 'node:events';
import { dayOf, MS_PER_DAY } from '../base/utc-day.ts';
import { createCountStore, type CountedAccount } from '../events/postgres/count-store.ts';
import { keepTokenSecret } from '../config/keep-token-secret.ts';
import { readSettings } from '../config/read-settings.ts';
import { createAccountRepairer } from '../ledger/read/repair-account.ts';
import { createSetAsideReader, type SetAsideAccount } from '../ledger/read/set-aside-accounts.ts';
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
    if (redis.status !== 'ready') await once(redis, 'ready');
    const accounts = await createSetAsideReader({ redis, keys }).list();
    const today = dayOf(Date.now());
    const counted = accounts.length === 0 ? [] : await createCountStore({ knex }).readAccounts(today);
    const repair = createAccountRepairer({ redis, keys, expiresAtMs: Date.now() + 400 * MS_PER_DAY });
    /** Every event of the account has left the stream: its last token ended before. */
    const isStored = async ({ publisherId, safeAtMs }: SetAsideAccount): Promise<boolean> => {
      const [oldest] = await redis.xrange(keys.events(keys.shardOf(publisherId)), '-', '+', 'COUNT', 1);
      return oldest === undefined || Number.parseInt(oldest[0], 10) > safeAtMs;
    };
    for (const account of accounts) {
      const { publisherId, kind, id, why, safeAtMs } = account;
      const counts = counted.find((one) => one.publisherId === publisherId && one.kind === kind && one.id === id) ?? NOTHING_COUNTED;
      const outcome = (await isStored(account)) ? await repair(account, { ...counts, publisherId, kind, id, day: today }) : 'too early';
      const wait = outcome === 'too early' ? `, repair it after ${new Date(safeAtMs).toISOString()}` : '';
      console.log(`publisher ${publisherId} ${kind === 'l' ? 'line item' : 'campaign'} ${id}: ${why}: ${outcome}${wait}`);
    }
    console.log(`${accounts.length} accounts were set aside`);
  } finally {
    await stores.close();
  }
};

const NOTHING_COUNTED: Omit<CountedAccount, 'publisherId' | 'kind' | 'id'> = {
  serves: 0,
  impressions: 0,
  clicks: 0,
  spendMicros: 0,
  yesterdayServes: 0,
  yesterdayImpressions: 0,
  yesterdayClicks: 0,
  yesterdaySpendMicros: 0,
  totalImpressions: 0,
  totalSpendMicros: 0,
};

main().catch((fault: unknown) => {
  process.stderr.write(`${fault instanceof Error ? fault.message : String(fault)}\n`);
  process.exit(1);
});
