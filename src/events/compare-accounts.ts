import type { Knex } from 'knex';
import { COUNT_NAMES, type AccountBooks, type AccountCounts, type Adjustment } from '../ledger/read/account-books.ts';
import { byAccount, countEvents, isCounted } from './account-events.ts';
import { createCountStore, readSums, writeSums } from './postgres/count-store.ts';
import { unstoredEvents } from './unstored-events.ts';

export interface CompareAccountsOptions {
  readonly knex: Knex;
  readonly books: AccountBooks;
  /** Whether accounts may be lowered: not while Postgres lacks what Redis has counted (books/carry-counts.ts). */
  readonly mayLower: () => Promise<boolean>;
  /** Called when accounts could not be compared this time: too much is on its way, or their rows have changed meanwhile. */
  readonly onSkipped?: () => void;
}

export interface AccountsQuestion {
  readonly publisherId: number;
  /** Campaigns of the publisher, compared with all their line items. */
  readonly campaigns: readonly number[];
  /** The day of the accounts, in days since the epoch. */
  readonly today: number;
  /** Changes nothing. */
  readonly dryRun: boolean;
}

/**
 * Compares accounts in Redis with the rows in Postgres, and corrects them unless `dryRun`. Resolves
 * to the adjustments: what was missing is positive. Rejects when a store is unavailable.
 */
export type CompareAccounts = (question: AccountsQuestion) => Promise<readonly Adjustment[]>;

/**
 * An account may be ahead of the rows only by events in the stream and by dead events. The rows are
 * therefore summed before and after the account and the stream are read in one step. When the sums
 * are equal, they are the rows of that moment, and what should be in the account is exact, under
 * traffic too: the rows, plus the events of the stream that have no row yet, plus dead events.
 * Otherwise rows were written in between, and the account is compared next time.
 *
 * Differences are added, in both directions, so a hit that settles meanwhile is not lost. Serves are
 * only raised: their rows follow the ledger by seconds. Hits in pending_hits are in neither book.
 */
export const createCompareAccounts =
  ({ knex, books, mayLower, onSkipped = () => undefined }: CompareAccountsOptions): CompareAccounts =>
  async ({ publisherId, campaigns, today, dryRun }) => {
    const before = await createCountStore({ knex }).accounts(today, campaigns);
    if (before.length === 0) return [];
    const checked = await books.check(publisherId, before);
    const { entries } = checked;
    if (entries === undefined) return skipped(onSkipped);
    const { after, unstored } = await knex.transaction(
      async (trx) => ({
        unstored: await unstoredEvents(trx, entries, (event) => event.hit.ad.publisherId === publisherId && isCounted(event)),
        after: await createCountStore({ knex: trx }).accounts(today, campaigns),
      }),
      { isolationLevel: 'repeatable read', readOnly: true },
    );
    if (unstored === undefined) return skipped(onSkipped);

    const own = byAccount(unstored);
    const adjustments = after.flatMap(({ kind, id, sums }, i) => {
      const [then, account] = [before[i], checked.accounts[i]];
      if (then?.kind !== kind || then.id !== id || then.sums !== sums) return skipped(onSkipped);
      if (account !== undefined && account.day !== today) return skipped(onSkipped);
      const events = own.get(`${kind}${id}`);
      // Of most accounts nothing has changed.
      if (account !== undefined && events === undefined && writeSums(account) === sums) return [];
      const expected = countEvents(events ?? [], today, readSums(sums));
      const difference = Object.fromEntries(COUNT_NAMES.map((name) => [name, expected[name] - (account?.[name] ?? 0)]));
      const raised = (name: 'serves' | 'yesterdayServes') => ({ [name]: Math.max(difference[name] ?? 0, 0) });
      const adjustment = { ...(difference as unknown as AccountCounts), ...raised('serves'), ...raised('yesterdayServes') };
      return COUNT_NAMES.some((name) => adjustment[name] !== 0) ? [{ kind, id, difference: adjustment }] : [];
    });
    if (adjustments.length > 0 && !dryRun && (await mayLower())) await books.adjust(publisherId, checked, today, adjustments);
    return adjustments;
  };

const skipped = (onSkipped: () => void): readonly [] => {
  onSkipped();
  return [];
};
