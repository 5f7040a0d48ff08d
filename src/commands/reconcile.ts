import { parseArgs } from 'node:util';
import type { Knex } from 'knex';
import { dayNamed, runCommand } from '../base/run-command.ts';
import { dateOfDay, dayOf } from '../base/utc-day.ts';
import { compareDay } from '../events/compare-books.ts';
import { underReconcileLock } from '../events/postgres/reconciliation.ts';
import { openSinksOfEnvironment } from '../events/sinks/replay-to-sink.ts';
import { handAgain, reportSinks } from '../events/sinks/report-sinks.ts';
import { COUNT_NAMES } from '../ledger/read/account-books.ts';
import { claimRedis } from '../replica/claim-redis.ts';
import { comparisonOf } from '../replica/comparison-of.ts';
import { withStores } from '../replica/with-stores.ts';

const OPTIONS = {
  day: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  again: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
} as const;

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
  const dayOr = (option: string, date: string | undefined): number => (date === undefined ? today : dayNamed(option, date));
  const from = dayOr('--from', values.from ?? values.day);
  const to = dayOr('--to', values.to ?? values.day);
  if (from > to) throw new Error('--from must not be later than --to.');
  const namedDays = Array.from({ length: to - from + 1 }, (_, i) => from + i);

  await withStores('to reconcile', async (stores) => {
    const { knex } = stores;
    if (values.again !== undefined) return printAgain(knex, values.again, namedDays);
    await claimRedis(stores);
    // The background comparison of the replicas waits meanwhile.
    await underReconcileLock(knex, { wait: true }, async (checkLock) => {
      const { comparing, ...compare } = await comparisonOf(stores, { dryRun, rest: checkLock });
      const verb = dryRun ? 'would be corrected' : 'were corrected';
      for (const day of (await comparing.counts.days()).filter((one) => one >= from && one <= to).toReversed())
        console.log(`${dateOfDay(day)}: ${await compareDay(comparing, day, today)} counts ${verb}`);
      const accounts = await compare.accounts(dayOf(Date.now()));
      console.log(`${accounts.length} accounts ${verb}`);
      for (const { publisherId, kind, id, difference } of accounts) {
        const changes = COUNT_NAMES.filter((name) => difference[name] !== 0).map((name) => `${name} ${signed(difference[name])}`);
        console.log(`  publisher ${publisherId} ${kind === 'l' ? 'line item' : 'campaign'} ${id}: ${changes.join(', ')}`);
      }
      console.log(`${await compare.tallies(today)} tallies ${verb}`);
      const sinks = await openSinksOfEnvironment();
      for await (const line of reportSinks(knex, sinks, namedDays, dryRun)) {
        console.log(line);
        await checkLock();
      }
      await Promise.allSettled(sinks.map(({ sink }) => sink.close()));
    });
  });
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

const signed = (count: number): string => (count > 0 ? `+${count}` : String(count));

runCommand(main);
