import type { Knex } from 'knex';
import { restAfter } from '../base/rest-after.ts';
import { createRounds } from '../base/rounds.ts';
import { dayOf, MS_PER_HOUR } from '../base/utc-day.ts';
import { compareAllAccounts, compareDay, type CompareOptions } from './compare-books.ts';
import type { CompareAccounts } from './compare-accounts.ts';
import type { CompareTallies } from './compare-tallies.ts';
import type { CountStore } from './postgres/count-store.ts';
import { readPublisherDays } from './postgres/publisher-days.ts';
import { isRoundDue, restAfterRound, underReconcileLock, writeReconciliation, type Books } from './postgres/reconciliation.ts';

export interface ReconcilerOptions {
  readonly knex: Knex;
  readonly counts: CountStore;
  readonly compareAccounts: CompareAccounts;
  readonly compareTallies: CompareTallies;
  readonly now?: () => number;
  /** Between two rounds, at least. */
  readonly pauseMs?: number;
  /** Called for differences that were found and corrected. */
  readonly onMended: (books: Books, differences: number) => void;
  readonly onFailure: (fault: Error) => void;
}

/** After 5 s, the comparison of 1,000 line items was two thirds of the CPU time of an idle replica. */
const PAUSE_MS = 30_000;
/**
 * No replica begins another round for so many times as long as one worked: a thirtieth of a core. Half an hour at most, so rounds that work for
 * more than a minute take more: the alert of a comparison that does not end waits for an hour.
 */
const REST_FACTOR = 28;
const MAX_REST_MS = MS_PER_HOUR / 2;
/** Of the days before yesterday, this many are compared in a round, in turn. */
const OLD_DAYS_PER_ROUND = 3;

/**
 * Compares event rows, counts and accounts all day, and corrects what differs. Of all
 * replicas one does, under a lock in Postgres. A round compares today, yesterday, some older days,
 * all accounts, and the tallies.
 */
export const createReconciler = (options: ReconcilerOptions) => {
  const { knex, counts, compareAccounts, compareTallies, now = Date.now, pauseMs = PAUSE_MS, onMended, onFailure } = options;
  let oldDay = 0;

  const report = async (books: Books, differences: number): Promise<void> => {
    if (differences > 0) onMended(books, differences);
    await writeReconciliation(knex, books, differences);
  };

  const compare = async (checkLock: () => Promise<void>, stopping: AbortSignal): Promise<void> => {
    if (!(await isRoundDue(knex))) return;
    let workedMs = 0;
    const rest = async (tookMs: number): Promise<void> => {
      workedMs += tookMs;
      stopping.throwIfAborted();
      await checkLock();
      await restAfter(tookMs, stopping);
    };
    const nowMs = now();
    const today = dayOf(nowMs);
    const { today: todayOf } = await readPublisherDays(knex, nowMs);
    const comparing: CompareOptions = { counts, compareAccounts, dryRun: false, rest, stopping, todayOf };
    const days = await counts.days();
    const old = days.filter((day) => day < today - 1);
    const chosen = Array.from({ length: Math.min(old.length, OLD_DAYS_PER_ROUND) }, (_, i) => old[(oldDay + i) % old.length]!);
    oldDay += chosen.length;
    let differences = 0;
    for (const day of [...days.filter((one) => one >= today - 1), ...chosen]) differences += await compareDay(comparing, day, today);
    await report('counts', differences);
    const accounts = await compareAllAccounts(comparing, today);
    await report('accounts', accounts.length + (await compareTallies(today, comparing)));
    await restAfterRound(knex, Math.min(Math.max(REST_FACTOR * workedMs, pauseMs), MAX_REST_MS));
  };

  return createRounds({
    round: (stopping) => underReconcileLock(knex, { wait: false }, (checkLock) => compare(checkLock, stopping)),
    pauseMs,
    onFailure,
  });
};
