import type { RestoreAccount } from '../ledger/read/restore-account.ts';
import type { CountStore } from './postgres/count-store.ts';

export interface RebuildOptions {
  readonly counts: CountStore;
  readonly restoreAccount: RestoreAccount;
  /** The UTC day, in days since the epoch, whose daily counts are computed from the event rows. */
  readonly day: number;
  /** The day of the accounts: now, in days since the epoch. */
  readonly today: number;
  /** Changes no daily counts; `restoreAccount` has a separate option. */
  readonly dryRun: boolean;
}

export interface Rebuilt {
  /** The number of rows of daily_counts that differed from the event rows. */
  readonly dailyCounts: number;
  /** Accounts of line items and campaigns in Redis that were lower than the rows. */
  readonly accounts: readonly string[];
}

/**
 * Rebuilds a day's counts from the event rows, and raises the ledger's accounts to them. Used after
 * Redis has lost data, or to check that it has not. Safe under traffic, because counts only grow
 * and only the lower figure is changed. Events that have not yet reached Postgres are included by a
 * second run.
 */
export const rebuildCounts = async ({ counts, restoreAccount, day, today, dryRun }: RebuildOptions): Promise<Rebuilt> => {
  const dailyCounts = await counts.rebuildDay(day, dryRun);
  const accounts: string[] = [];
  for (const account of await counts.readAccounts(today)) {
    const { publisherId, kind, id } = account;
    if (await restoreAccount({ ...account, day: today }))
      accounts.push(`publisher ${publisherId} ${kind === 'l' ? 'line item' : 'campaign'} ${id}`);
  }
  return { dailyCounts, accounts };
};
