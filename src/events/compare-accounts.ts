import type { Knex } from 'knex';
import { COUNT_NAMES, type AccountBooks, type AccountCounts, type Adjustment, type CheckedAccounts } from '../ledger/read/account-books.ts';
import { byAccount, countEvents, dayOfAccount, isCounted } from './account-events.ts';
import { createCountStore } from './postgres/count-store.ts';
import { readSums, writeSums } from './postgres/counted-accounts.ts';
import { createUncounted, type Uncounted } from './postgres/uncounted.ts';
import { unstoredEvents } from './unstored-events.ts';

export interface CompareAccountsOptions {
  readonly knex: Knex;
  readonly books: AccountBooks;
  /** Default: one that has read nothing yet. */
  readonly uncounted?: Uncounted;
  /** Whether accounts may be lowered: not while Postgres lacks what Redis has counted (books/carry-counts.ts). */
  readonly mayLower: () => Promise<boolean>;
  /** Called when accounts could not be compared this time: too much is on its way, or their rows have changed meanwhile. */
  readonly onSkipped?: () => void;
}

export interface AccountsQuestion {
  readonly publisherId: number;
  /** Campaigns of the publisher, compared with all their line items. */
  readonly campaigns: readonly number[];
  /** The publisher's day, in days since the epoch: of the accounts that there are not. The others have their own. */
  readonly today: number;
  /** Changes nothing. */
  readonly dryRun: boolean;
}

/**
 * Compares accounts in Redis with the rows in Postgres, and corrects them unless `dryRun`. Resolves
 * to the adjustments: what was missing is positive. Rejects when a store is unavailable.
 */
export type CompareAccounts = (question: AccountsQuestion) => Promise<readonly DatedAdjustment[]>;

export interface DatedAdjustment extends Adjustment {
  /** Of the account, in days since the epoch. */
  readonly day: number;
}

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
export const createCompareAccounts = (options: CompareAccountsOptions): CompareAccounts => {
  const { uncounted = createUncounted() } = options;
  return async (question) => {
    await uncounted.keepFew(options.knex);
    const others = new Set<number>();
    const found = [...(await compareOn(question, question.today, { ...options, uncounted }, others))];
    for (const day of others) found.push(...(await compareOn(question, day, { ...options, uncounted })));
    return found;
  };
};

/**
 * Compares the accounts that are of `day`. Those of another day are left out, and the day is added to
 * `others`: around midnight, and for some hours after a publisher has changed its time zone.
 */
const compareOn = async (
  { publisherId, campaigns, today, dryRun }: AccountsQuestion,
  day: number,
  { knex, books, mayLower, onSkipped = () => undefined, uncounted }: CompareAccountsOptions & { readonly uncounted: Uncounted },
  others = new Set<number>(),
): Promise<readonly DatedAdjustment[]> => {
  const before = await createCountStore({ knex, uncounted }).accounts(day, campaigns);
  if (before.length === 0) return [];
  const parts: CheckedPart[] = [];
  for (let from = 0; from < before.length; from += MAX_CHECKED) {
    const checked = await books.check(publisherId, before.slice(from, from + MAX_CHECKED));
    if (checked.entries === undefined) return skipped(onSkipped);
    parts.push({ ...checked, entries: checked.entries, from });
  }
  const { after, unstored } = await knex.transaction(
    async (trx) => {
      const events: Awaited<ReturnType<typeof unstoredEvents>>[] = [];
      for (const { entries } of parts)
        events.push(await unstoredEvents(trx, entries, (event) => event.hit.ad.publisherId === publisherId && isCounted(event)));
      return { unstored: events, after: await createCountStore({ knex: trx, uncounted }).accounts(day, campaigns) };
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );

  const all: Adjustment[] = [];
  for (const [part, { from, accounts }] of parts.entries()) {
    const events = unstored[part];
    if (events === undefined) return skipped(onSkipped);
    const own = byAccount(events);
    const adjustments = after.slice(from, from + MAX_CHECKED).flatMap(({ kind, id, latestDay, sums }, i) => {
      const [then, account] = [before[from + i], accounts[i]];
      if (then?.kind !== kind || then.id !== id || then.sums !== sums) return skipped(onSkipped);
      const waiting = own.get(`${kind}${id}`);
      const ownDay = account?.day ?? dayOfAccount(today, latestDay, waiting ?? []);
      if (ownDay !== day) {
        others.add(ownDay);
        return [];
      }
      // Of most accounts nothing has changed.
      if (account !== undefined && waiting === undefined && writeSums(account) === sums) return [];
      const expected = countEvents(waiting ?? [], day, readSums(sums));
      const difference = Object.fromEntries(COUNT_NAMES.map((name) => [name, expected[name] - (account?.[name] ?? 0)]));
      const raised = (name: 'serves' | 'yesterdayServes') => ({ [name]: Math.max(difference[name] ?? 0, 0) });
      const adjustment = { ...(difference as unknown as AccountCounts), ...raised('serves'), ...raised('yesterdayServes') };
      return COUNT_NAMES.some((name) => adjustment[name] !== 0) ? [{ kind, id, difference: adjustment }] : [];
    });
    all.push(...adjustments);
  }
  // Of the first part: nothing may have been adjusted since.
  const [first] = parts;
  if (first && all.length > 0 && !dryRun && (await mayLower())) await books.adjust(publisherId, first, day, all);
  return all.map((adjustment) => ({ ...adjustment, day }));
};

/** Accounts that were checked in one call, the first of which is at `from`. */
type CheckedPart = CheckedAccounts & { readonly entries: readonly (readonly string[])[]; readonly from: number };

/** Accounts that one call reads: 1,000 held Redis for 8 ms. */
const MAX_CHECKED = 200;

const skipped = (onSkipped: () => void): readonly [] => {
  onSkipped();
  return [];
};
