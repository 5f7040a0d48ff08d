import type { Adjustment } from '../ledger/read/account-books.ts';
import type { CompareAccounts } from './compare-accounts.ts';
import type { ComparedLineItems, CountStore } from './postgres/count-store.ts';

export interface CompareOptions {
  readonly counts: CountStore;
  readonly compareAccounts: CompareAccounts;
  /** Changes nothing. */
  readonly dryRun: boolean;
  /** Called after each chunk with its duration; it may wait, and throws to stop the comparison. */
  readonly rest: (tookMs: number) => Promise<void>;
}

export interface AdjustedAccount extends Adjustment {
  readonly publisherId: number;
}

/** The size of chunks of line items follows the time that they take. */
const SHORT_MS = 50;
const LONG_MS = 250;
const FIRST_LINE_ITEMS = 10;
const MAX_LINE_ITEMS = 1_000;
const CAMPAIGNS = 50;
/** Below every id: the smallest integer of Postgres. */
const BEFORE_FIRST = -(2 ** 31);

interface Timed<T> {
  readonly result: T;
  readonly tookMs: number;
}

const timed = async <T>(work: Promise<T>, rest: CompareOptions['rest']): Promise<Timed<T>> => {
  const begun = performance.now();
  const result = await work;
  const tookMs = performance.now() - begun;
  await rest(tookMs);
  return { result, tookMs };
};

/**
 * Compares the daily counts of a day with its event rows, in small chunks, and corrects them unless
 * `dryRun`. Resolves to how many differed. A day without a partition of events is not compared.
 */
export const compareDay = async ({ counts, dryRun, rest }: CompareOptions, day: number): Promise<number> => {
  let differences = 0;
  let limit = FIRST_LINE_ITEMS;
  let after: number | undefined = BEFORE_FIRST;
  while (after !== undefined) {
    const { result, tookMs }: Timed<ComparedLineItems> = await timed(counts.compareDay(day, after, limit, dryRun), rest);
    differences += result.differences;
    after = result.lastLineItem;
    if (tookMs < SHORT_MS) limit = Math.min(limit * 2, MAX_LINE_ITEMS);
    else if (tookMs > LONG_MS) limit = Math.max(limit >> 1, 1);
  }
  return differences;
};

/**
 * Compares the accounts of all campaigns that have not ended, and of their line items, with the
 * daily counts, and corrects them unless `dryRun`. Resolves to the adjustments.
 */
export const compareAllAccounts = async (
  { counts, compareAccounts, dryRun, rest }: CompareOptions,
  today: number,
): Promise<readonly AdjustedAccount[]> => {
  const adjusted: AdjustedAccount[] = [];
  let after = BEFORE_FIRST;
  for (;;) {
    const campaigns = await counts.campaigns(after, CAMPAIGNS);
    for (const publisherId of new Set(campaigns.map((campaign) => campaign.publisherId))) {
      const ids = campaigns.filter((campaign) => campaign.publisherId === publisherId).map(({ id }) => id);
      const { result } = await timed(compareAccounts({ publisherId, campaigns: ids, today, dryRun }), rest);
      adjusted.push(...result.map((adjustment) => ({ publisherId, ...adjustment })));
    }
    if (campaigns.length < CAMPAIGNS) return adjusted;
    after = campaigns.at(-1)?.id ?? after;
  }
};
