import type { CompareAccounts, DatedAdjustment } from './compare-accounts.ts';
import type { Compared, CountStore } from './postgres/count-store.ts';
import { HOURLY_DAYS } from './postgres/event-store.ts';

export interface CompareOptions {
  readonly counts: CountStore;
  readonly compareAccounts: CompareAccounts;
  /** Changes nothing. */
  readonly dryRun: boolean;
  /** Called after each chunk with its duration; it may wait, and throws to stop the comparison. */
  readonly rest: (tookMs: number) => Promise<void>;
  /** The day of a publisher, in days since the epoch. Default: the one that is given. */
  readonly todayOf?: ((publisherId: number) => number) | undefined;
}

export interface AdjustedAccount extends DatedAdjustment {
  readonly publisherId: number;
}

/** The size of chunks of line items or hours follows the time that they take. */
const SHORT_MS = 50;
const LONG_MS = 250;
const FIRST_LINE_ITEMS = 10;
const MAX_LINE_ITEMS = 1_000;
const FIRST_HOURS = 6;
const HOURS = 24;
/** Compared together with their line items, tens to hundreds of accounts: some milliseconds of this process. */
const CAMPAIGNS = 50;
/** Below every id: the smallest integer of Postgres. */
const BEFORE_FIRST = -(2 ** 31);

const rested = async <T>(work: Promise<T>, rest: CompareOptions['rest']): Promise<{ readonly result: T; readonly tookMs: number }> => {
  const begun = performance.now();
  const result = await work;
  const tookMs = performance.now() - begun;
  await rest(tookMs);
  return { result, tookMs };
};

interface Chunks {
  readonly after: number;
  readonly first: number;
  readonly max: number;
  readonly compare: (after: number, limit: number) => Promise<Compared>;
}

const inChunks = async ({ after: from, first, max, compare }: Chunks, rest: CompareOptions['rest']): Promise<number> => {
  let differences = 0;
  let limit = first;
  let after: number | undefined = from;
  while (after !== undefined) {
    const { result, tookMs }: { readonly result: Compared; readonly tookMs: number } = await rested(compare(after, limit), rest);
    differences += result.differences;
    after = result.last;
    if (tookMs < SHORT_MS) limit = Math.min(limit * 2, max);
    else if (tookMs > LONG_MS) limit = Math.max(limit >> 1, 1);
  }
  return differences;
};

/**
 * Compares the daily counts, event counts and hourly counts of a day with its event rows, in small
 * chunks, and corrects them unless `dryRun`. Resolves to how many differed. A day without a
 * partition of events is not compared, and the hourly counts of a day only while they are kept.
 */
export const compareDay = async ({ counts, dryRun, rest }: CompareOptions, day: number, today: number): Promise<number> => {
  const lineItems = await inChunks(
    {
      ...{ after: BEFORE_FIRST, first: FIRST_LINE_ITEMS, max: MAX_LINE_ITEMS },
      compare: (after, limit) => counts.compareLineItems(day, after, limit, dryRun),
    },
    rest,
  );
  if (day < today - HOURLY_DAYS) return lineItems;
  const hours = await inChunks(
    { ...{ after: -1, first: FIRST_HOURS, max: HOURS }, compare: (after, limit) => counts.compareHours(day, after, limit, dryRun) },
    rest,
  );
  return lineItems + hours;
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
      const { result } = await rested(compareAccounts({ publisherId, campaigns: ids, today: todayOf(publisherId), dryRun }), rest);
      adjusted.push(...result.map((adjustment) => ({ publisherId, ...adjustment })));
    }
    if (campaigns.length < CAMPAIGNS) return adjusted;
    after = campaigns.at(-1)?.id ?? after;
  }
};
