import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { groupBy } from '../base/group-by.ts';
import type { AccountBooks } from '../ledger/read/account-books.ts';
import { createCompareAccounts } from './compare-accounts.ts';
import { readPublisherDays } from './postgres/publisher-days.ts';
import { createUncounted } from './postgres/uncounted.ts';

export interface PrepareAccountsOptions {
  readonly knex: Knex;
  readonly books: AccountBooks;
  readonly mayLower: () => Promise<boolean>;
  /** Redis's clock of a publisher, epoch ms. */
  readonly now: (publisherId: number) => number;
  readonly onFailure: (fault: Error) => void;
}

/** Two seconds in all: rows that are being written are compared a moment later. */
const TRIES = 20;
const AGAIN_MS = 100;
/** Writers of the catalog wait. Rows are counted further meanwhile, so that the next try finds fewer. */
const COUNTING_PATIENCE_MS = 5_000;

/**
 * Makes the accounts of campaigns, and of all their line items, what their rows in Postgres say, today's included. Resolves to
 * whether they are: not while a store is unavailable, accounts are being rebuilt, or too many rows wait to be counted.
 */
export const createPrepareAccounts =
  ({ knex, books, mayLower, now, onFailure }: PrepareAccountsOptions) =>
  async (campaigns: readonly { readonly id: number; readonly publisherId: number }[]): Promise<boolean> => {
    const byPublisher = groupBy(campaigns, ({ publisherId }) => publisherId);
    let differences = 0;
    const uncounted = createUncounted();
    const compareAccounts = createCompareAccounts({ knex, books, mayLower, uncounted, onSkipped: () => differences++ });
    try {
      const areFew = uncounted.keepFew(knex).then(() => true);
      if (!(await Promise.race([areFew, sleep(COUNTING_PATIENCE_MS, false, { ref: false })]))) return false;
      for (let tries = 0; tries < TRIES; tries++) {
        differences = 0;
        for (const [publisherId, of] of byPublisher) {
          const today = (await readPublisherDays(knex, now(publisherId), [publisherId])).today(publisherId);
          for (const { id } of of) differences += (await compareAccounts({ publisherId, campaigns: [id], today, dryRun: false })).length;
        }
        if (differences === 0) return true;
        await sleep(AGAIN_MS);
      }
    } catch (fault) {
      onFailure(fault as Error);
    }
    return false;
  };
