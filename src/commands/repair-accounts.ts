import { MS_PER_DAY } from '../base/utc-day.ts';
import { readPublisherDays } from '../events/postgres/publisher-days.ts';
import { repairSetAside } from '../events/repair-set-aside.ts';
import { keepTokenSecret } from '../config/keep-token-secret.ts';
import { readSettings } from '../config/read-settings.ts';
import { createAccountRepairer } from '../ledger/read/repair-account.ts';
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
    const repair = createAccountRepairer({ redis, keys, expiresAtMs: Date.now() + 400 * MS_PER_DAY });
    const nowMs = Date.now();
    const { today: todayOf } = await readPublisherDays(knex, nowMs);
    const accounts = await repairSetAside({ knex, redis, keys, repair, todayOf });
    for (const { publisherId, kind, id, why, safeAtMs, outcome } of accounts) {
      const wait = outcome === 'too early' ? `, repair it after ${new Date(safeAtMs).toISOString()}` : '';
      console.log(`publisher ${publisherId} ${kind === 'l' ? 'line item' : 'campaign'} ${id}: ${why}: ${outcome}${wait}`);
    }
    console.log(`${accounts.length} accounts were set aside`);
  } finally {
    await stores.close();
  }
};

main().catch((fault: unknown) => {
  process.stderr.write(`${fault instanceof Error ? fault.message : String(fault)}\n`);
  process.exit(1);
});
