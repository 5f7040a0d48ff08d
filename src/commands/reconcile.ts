import { parseArgs } from 'node:util';
import { dayOf, MS_PER_DAY } from '../base/utc-day.ts';
import { createCountStore } from '../events/postgres/count-store.ts';
import { rebuildCounts } from '../events/rebuild-counts.ts';
import { keepTokenSecret } from '../config/keep-token-secret.ts';
import { readSettings } from '../config/read-settings.ts';
import { createAccountRestorer } from '../ledger/read/restore-account.ts';
import { claimRedis } from '../replica/claim-redis.ts';
import { connectStores } from '../replica/connect-stores.ts';

/**
 * `node dist/commands/reconcile.js [--day 2026-11-20] [--dry-run]`: rebuilds a day's counters from
 * the stored events. See docs/operations.md.
 */
const main = async (): Promise<void> => {
  const { values } = parseArgs({ options: { day: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } } });
  const dryRun = values['dry-run'];
  const settings = readSettings(keepTokenSecret(process.env));
  const { databaseUrl, redisUrls } = settings;
  if (databaseUrl === undefined || redisUrls.length === 0) throw new Error('DATABASE_URL and REDIS_URL say which stores to reconcile.');
  const nowMs = Date.now();
  const dayMs = values.day === undefined ? nowMs : Date.parse(`${values.day}T00:00:00Z`);
  if (Number.isNaN(dayMs)) throw new Error('--day must be a date such as 2026-11-20.');

  const stores = connectStores(settings, { databaseUrl, redisUrls });
  try {
    await claimRedis(stores);
    const { dailyCounts, accounts } = await rebuildCounts({
      counts: createCountStore({ knex: stores.knex }),
      restoreAccount: createAccountRestorer({
        redis: stores.backgroundRedis,
        keys: stores.keys,
        expiresAtMs: nowMs + 400 * MS_PER_DAY,
        dryRun,
      }),
      day: dayOf(dayMs),
      today: dayOf(nowMs),
      dryRun,
    });
    const verb = dryRun ? 'would be' : 'were';
    console.log(`${dailyCounts} daily counts ${verb} corrected, ${accounts.length} accounts ${verb} raised`);
    for (const account of accounts) console.log(`  ${account}`);
  } finally {
    await stores.close();
  }
};

main().catch((fault: unknown) => {
  process.stderr.write(`${fault instanceof Error ? fault.message : String(fault)}\n`);
  process.exit(1);
});
