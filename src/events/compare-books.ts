import type { CompareAccounts, DatedAdjustment } from './compare-accounts.ts';
import { BEFORE_FIRST } from './postgres/book-store.ts';
import type { CountStore } from './postgres/count-store.ts';
import { HOURLY_DAYS } from './postgres/event-store.ts';

export interface CompareOptions {
  readonly counts: CountStore;
  readonly compareAccounts: CompareAccounts;
  /** Changes nothing. */
  readonly dryRun: boolean;
  /** Ends what runs. */
  readonly stopping?: AbortSignal | undefined;
  /** Called after each step with its duration; it may wait, and throws to stop the comparison. */
  readonly rest: (tookMs: number) => Promise<void>;
  /** The day of a publisher, in days since the epoch. Default: the one that is given. */
  readonly todayOf?: ((publisherId: number) => number) | undefined;
}

export interface AdjustedAccount extends DatedAdjustment {
  readonly publisherId: number;
}

/** Compared together with their line items, tens to hundreds of accounts: some milliseconds of this process. */
const CAMPAIGNS = 50;

const rested = async <T>(work: Promise<T>, rest: CompareOptions['rest']): Promise<T> => {
  const begun = performance.now();
  const result = await work;
  await rest(performance.now() - begun);
  return result;
};

/**
 * Compares the daily counts, event counts, filtered counts and hourly counts of a day with its event rows, and corrects them unless `dryRun`.
 * Resolves to how many differed. A day without a partition of events is not compared, and the hourly counts of a day only while they are kept.
 */
export const compareDay = async ({ counts, dryRun, rest, stopping }: CompareOptions, day: number, today: number): Promise<number> => {
  const daily = await rested(counts.compareDaily(day, { dryRun, stopping }), rest);
  return day < today - HOURLY_DAYS ? daily : daily + (await rested(counts.compareHourly(day, { dryRun, stopping }), rest));
};

/**
 * Compares the accounts of all campaigns that have not ended, and of their line items, with the
 * daily counts, and corrects them unless `dryRun`. Resolves to the adjustments.
 */
export const compareAllAccounts = async (
  { counts, compareAccounts, dryRun, rest, todayOf = () => today }: CompareOptions,
  today: number,
): Promise<readonly AdjustedAccount[]> => {
  const adjusted: AdjustedAccount[] = [];
  let after = BEFORE_FIRST;
  for (;;) {
    const campaigns = await counts.campaigns(after, CAMPAIGNS);
    for (const publisherId of new Set(campaigns.map((campaign) => campaign.publisherId))) {
      const ids = campaigns.filter((campaign) => campaign.publisherId === publisherId).map(({ id }) => id);
      const result = await rested(compareAccounts({ publisherId, campaigns: ids, today: todayOf(publisherId), dryRun }), rest);
      adjusted.push(...result.map((adjustment) => ({ publisherId, ...adjustment })));
    }
    if (campaigns.length < CAMPAIGNS) return adjusted;
    after = campaigns.at(-1)?.id ?? after;
  }
};
