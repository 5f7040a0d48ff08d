import type { AccountCounts } from '../ledger/read/account-books.ts';
import type { StoredEvent } from './postgres/stored-event.ts';
import type { UncountedRows } from './postgres/uncounted.ts';

/** The same rule as `counted` in postgres/count-rows.ts. */
export const isCounted = ({ hit: { kind }, reason, billedMicros }: StoredEvent): boolean =>
  (kind !== 'event' || billedMicros > 0) && reason === '';

/** The events of each account, by its kind and id. */
export const byAccount = (events: readonly StoredEvent[]): ReadonlyMap<string, readonly StoredEvent[]> => {
  const found = new Map<string, StoredEvent[]>();
  for (const event of events)
    for (const account of [`l${event.hit.ad.lineItemId}`, `c${event.hit.ad.campaignId}`]) {
      const of = found.get(account);
      if (of) of.push(event);
      else found.set(account, [event]);
    }
  return found;
};

/**
 * The day of an account that is made anew. As in Redis it does not go back when the zone of its publisher is moved: what was
 * sold on the later day stays counted towards the limits of it.
 *
 * @param today the publisher's, in days since the epoch
 * @param latestDay the latest with counts of the account
 */
export const dayOfAccount = (today: number, latestDay: number | null, events: readonly StoredEvent[]): number =>
  events.reduce((day, { hit }) => Math.max(day, hit.ad.day), Math.max(today, latestDay ?? today));

/** The counts of an account after these events. */
export const countEvents = (events: readonly StoredEvent[], today: number, from: AccountCounts): AccountCounts => {
  const counts = { ...from };
  for (const { hit, billedMicros } of events) add(counts, { ...hit, day: hit.ad.day, count: 1, micros: billedMicros }, today);
  return counts;
};

/** The counts of an account after these rows. */
export const countUncounted = (rows: readonly UncountedRows[], today: number, from: AccountCounts): AccountCounts => {
  const counts = { ...from };
  for (const row of rows) if (row.reason === '') add(counts, row, today);
  return counts;
};

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
type Added = Pick<UncountedRows, 'day' | 'kind' | 'count' | 'micros'>;

const add = (counts: Mutable<AccountCounts>, { day, kind, count, micros }: Added, today: number): void => {
  const impressions = kind === 'impression' ? count : 0;
  const clicks = kind === 'click' ? count : 0;
  counts.totalImpressions += impressions;
  counts.totalSpendMicros += micros;
  counts.totalClicks += clicks;
  if (day === today) {
    counts.impressions += impressions;
    counts.clicks += clicks;
    counts.spendMicros += micros;
  } else if (day === today - 1) {
    counts.yesterdayImpressions += impressions;
    counts.yesterdayClicks += clicks;
    counts.yesterdaySpendMicros += micros;
  }
};
