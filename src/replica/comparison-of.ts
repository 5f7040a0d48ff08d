import { MS_PER_DAY } from '../base/utc-day.ts';
import { createMayLower } from '../events/books/may-lower.ts';
import { createCompareAccounts } from '../events/compare-accounts.ts';
import { compareAllAccounts, type CompareOptions } from '../events/compare-books.ts';
import { createCompareTallies } from '../events/compare-tallies.ts';
import { createCountStore } from '../events/postgres/count-store.ts';
import { readPublisherDays } from '../events/postgres/publisher-days.ts';
import { createAccountBooks } from '../ledger/read/account-books.ts';
import { createTallyBooks } from '../ledger/read/tally-books.ts';
import type { Stores } from './connect-stores.ts';

/** Accounts that a command creates are kept for this long; the ledger sets the end of the others. */
export const NEW_ACCOUNT_MS = 400 * MS_PER_DAY;

/** What compares the counters in Redis with the rows in Postgres outside of a replica. Rejects when Postgres is unavailable. */
export const comparisonOf = async (
  { knex, keys, backgroundRedis: redis }: Stores,
  options: Pick<CompareOptions, 'dryRun' | 'rest'>,
  newAccountMs = NEW_ACCOUNT_MS,
) => {
  const days = await readPublisherDays(knex, Date.now());
  const books = createAccountBooks({ redis, keys, expiresAtMs: () => Date.now() + newAccountMs, daysOf: days.rule });
  const comparing: CompareOptions = {
    ...options,
    counts: createCountStore({ knex }),
    compareAccounts: createCompareAccounts({ knex, books, mayLower: createMayLower({ knex, redis, keys }) }),
    todayOf: days.today,
  };
  const compareTallies = createCompareTallies({ knex, books: createTallyBooks({ redis, keys }) });
  return {
    comparing,
    accounts: (today: number) => compareAllAccounts(comparing, today),
    tallies: (today: number) => compareTallies(today, options),
  };
};
