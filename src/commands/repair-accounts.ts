import { runCommand } from '../base/run-command.ts';
import { readPublisherDays } from '../events/postgres/publisher-days.ts';
import { repairSetAside } from '../events/repair-set-aside.ts';
import { createAccountRepairer } from '../ledger/read/repair-account.ts';
import { claimRedis } from '../replica/claim-redis.ts';
import { NEW_ACCOUNT_MS } from '../replica/comparison-of.ts';
import { withStores } from '../replica/with-stores.ts';

/**
 * `node dist/commands/repair-accounts.js`: lists the accounts that are set aside, and repairs those
 * whose reservations have all ended from the stored events. See docs/operations.md.
 */
const main = (): Promise<void> =>
  withStores('to repair', async (stores) => {
    const { backgroundRedis: redis, keys, knex } = stores;
    await claimRedis(stores);
    const repair = createAccountRepairer({ redis, keys, expiresAtMs: Date.now() + NEW_ACCOUNT_MS });
    const nowMs = Date.now();
    const { today: todayOf } = await readPublisherDays(knex, nowMs);
    const accounts = await repairSetAside({ knex, redis, keys, repair, todayOf });
    for (const { publisherId, kind, id, why, safeAtMs, outcome } of accounts) {
      const wait = outcome === 'too early' ? `, repair it after ${new Date(safeAtMs).toISOString()}` : '';
      console.log(`publisher ${publisherId} ${kind === 'l' ? 'line item' : 'campaign'} ${id}: ${why}: ${outcome}${wait}`);
    }
    console.log(`${accounts.length} accounts were set aside`);
  });

runCommand(main);
