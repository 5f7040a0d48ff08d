import { parseArgs } from 'node:util';
import type { Knex } from 'knex';
import { dateOfDay, dayOf, MS_PER_DAY } from '../base/utc-day.ts';
import { keepTokenSecret } from '../config/keep-token-secret.ts';
import { readSettings } from '../config/read-settings.ts';
import { claimRedis } from '../replica/claim-redis.ts';
import { createMayLower } from '../events/books/may-lower.ts';
import { createCompareAccounts } from '../events/compare-accounts.ts';
import { createCompareTallies } from '../events/compare-tallies.ts';
import { compareAllAccounts, compareDay } from '../events/compare-books.ts';
import { createCountStore } from '../events/postgres/count-store.ts';
import { readPublisherDays } from '../events/postgres/publisher-days.ts';
import { underReconcileLock } from '../events/postgres/reconciliation.ts';
import { openSinksOfEnvironment } from '../events/sinks/replay-to-sink.ts';
import { handAgain, reportSinks } from '../events/sinks/report-sinks.ts';
import { COUNT_NAMES, createAccountBooks } from '../ledger/read/account-books.ts';
import { createTallyBooks } from '../ledger/read/tally-books.ts';
import { connectStores } from '../replica/connect-stores.ts';

const OPTIONS = {
  day: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  again: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
} as const;

/** Accounts that a comparison creates are kept for this long; the ledger sets the end of the others. */
const NEW_ACCOUNT_DAYS = 400;

/**
 * `node dist/commands/reconcile.js [--day 2026-11-20 | --from 2026-11-01 --to 2026-11-20] [--dry-run | --again <sink>]`:
 * compares the daily, event and hourly counts of these days with the event rows, and all accounts
 * with the daily counts, today's tallies with the counts, and the sinks of SINKS with the event rows, and corrects what differs. With `--again` it
 * hands the events of these days to one sink instead. See docs/operations.md and docs/sinks.md.
 */
const main = async (): Promise<void> => {
  const { values } = parseArgs({ options: OPTIONS });
  const dryRun = values['dry-run'];
  const today = dayOf(Date.now());
  const from = dayNamed('--from', values.from ?? values.day) ?? today;
  const to = dayNamed('--to', values.to ?? values.day) ?? today;
  if (from > to) throw new Error('--from must not be later than --to.');
  const settings = readSettings(keepTokenSecret(process.env));
  const { databaseUrl, redisUrls } = settings;
  if (databaseUrl === undefined || redisUrls.length === 0) throw new Error('DATABASE_URL and REDIS_URL say which stores to reconcile.');

  const namedDays = Array.from({ length: to - from + 1 }, (_, i) => from + i);

  const stores = connectStores(settings, { databaseUrl, redisUrls });
  try {
    const { knex, backgroundRedis: redis, keys } = stores;
    if (values.again !== undefined) return await printAgain(knex, values.again, namedDays);
    await claimRedis(stores);
    const days = await readPublisherDays(knex, Date.now());
    const expiresAtMs = () => Date.now() + NEW_ACCOUNT_DAYS * MS_PER_DAY;
    const books = createAccountBooks({ redis, keys, expiresAtMs, daysOf: days.rule });
    const counts = createCountStore({ knex });
    // The background comparison of the replicas waits meanwhile.
    await underReconcileLock(knex, { wait: true }, async (checkLock) => {
      const comparing = {
        counts,
        compareAccounts: createCompareAccounts({ knex, books, mayLower: createMayLower({ knex, redis, keys }) }),
        dryRun,
        rest: checkLock,
        todayOf: days.today,
      };
      const verb = dryRun ? 'would be corrected' : 'were corrected';
      for (const day of (await counts.days()).filter((one) => one >= from && one <= to).toReversed())
        console.log(`${dateOfDay(day)}: ${await compareDay(comparing, day, today)} counts ${verb}`);
      const accounts = await compareAllAccounts(comparing, dayOf(Date.now()));
      console.log(`${accounts.length} accounts ${verb}`);
      for (const { publisherId, kind, id, difference } of accounts) {
        const changes = COUNT_NAMES.filter((name) => difference[name] !== 0).map((name) => `${name} ${signed(difference[name])}`);
        console.log(`  publisher ${publisherId} ${kind === 'l' ? 'line item' : 'campaign'} ${id}: ${changes.join(', ')}`);
      }
      console.log(`${await createCompareTallies({ knex, books: createTallyBooks({ redis, keys }) })(today, comparing)} tallies ${verb}`);
      const sinks = await openSinksOfEnvironment();
      for await (const line of reportSinks(knex, sinks, namedDays, dryRun)) {
        console.log(line);
        await checkLock();
      }
      await Promise.allSettled(sinks.map(({ sink }) => sink.close()));
    });
  } finally {
    await stores.close();
  }
};

const printAgain = async (knex: Knex, name: string, days: readonly number[]): Promise<void> => {
  const sinks = await openSinksOfEnvironment();
  try {
    const named = sinks.find(({ sink }) => sink.name === name);
    if (!named)
      throw new Error(`--again must be the name of a sink of SINKS: ${sinks.map(({ sink }) => sink.name).join(', ') || 'it has none'}.`);
    for await (const line of handAgain(knex, named, days)) console.log(line);
  } finally {
    await Promise.allSettled(sinks.map(({ sink }) => sink.close()));
  }
};

const dayNamed = (option: string, date: string | undefined): number | undefined => {
  if (date === undefined) return undefined;
  const atMs = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(atMs)) throw new Error(`${option} must be a date such as 2026-11-20.`);
  return dayOf(atMs);
};

const signed = (count: number): string => (count > 0 ? `+${count}` : String(count));

main().catch((fault: unknown) => {
  process.stderr.write(`${fault instanceof Error ? fault.message : String(fault)}\n`);
  process.exit(1);
});
