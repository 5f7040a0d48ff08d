import { dayOf, IDLE_KEY_TTL_MS } from '../../base/utc-day.ts';
import type { Settings } from '../../config/settings.ts';
import { createMayLower } from '../../events/books/may-lower.ts';
import { createCompareAccounts } from '../../events/compare-accounts.ts';
import { compareAllAccounts } from '../../events/compare-books.ts';
import { createCompareTallies } from '../../events/compare-tallies.ts';
import { createCountStore } from '../../events/postgres/count-store.ts';
import { readPublisherDays } from '../../events/postgres/publisher-days.ts';
import { createAccountBooks } from '../../ledger/read/account-books.ts';
import { createTallyBooks } from '../../ledger/read/tally-books.ts';
import { claimRedis } from '../../replica/claim-redis.ts';
import { connectStores, type StoreAddresses } from '../../replica/connect-stores.ts';

/** Makes the accounts in Redis from the counts in Postgres, before the service would find and report that they differ. */
export const countInRedis = async (settings: Settings, addresses: StoreAddresses): Promise<void> => {
  const stores = connectStores(settings, addresses);
  try {
    const { knex, backgroundRedis: redis, keys } = stores;
    await claimRedis(stores);
    const days = await readPublisherDays(knex, Date.now());
    const books = createAccountBooks({ redis, keys, expiresAtMs: () => Date.now() + IDLE_KEY_TTL_MS, daysOf: days.rule });
    const comparing = {
      ...{
        counts: createCountStore({ knex }),
        compareAccounts: createCompareAccounts({ knex, books, mayLower: createMayLower({ knex, redis, keys }) }),
        dryRun: false,
        todayOf: days.today,
      },
      rest: () => Promise.resolve(),
    };
    const today = dayOf(Date.now());
    await compareAllAccounts(comparing, today);
    await createCompareTallies({ knex, books: createTallyBooks({ redis, keys }) })(today, comparing);
  } finally {
    await stores.close();
  }
};
