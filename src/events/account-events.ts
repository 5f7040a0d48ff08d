import type { AccountCounts } from '../ledger/read/account-books.ts';
import type { StoredEvent } from './postgres/stored-event.ts';

/** The same rule as COUNTED and IN_DAILY (postgres/event-store.ts). */
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
  for (const { hit, billedMicros } of events) {
    const impressions = hit.kind === 'impression' ? 1 : 0;
    const clicks = hit.kind === 'click' ? 1 : 0;
    counts.totalImpressions += impressions;
    counts.totalSpendMicros += billedMicros;
    counts.totalClicks += clicks;
    if (hit.ad.day === today) {
      counts.impressions += impressions;
      counts.clicks += clicks;
      counts.spendMicros += billedMicros;
    } else if (hit.ad.day === today - 1) {
      counts.yesterdayImpressions += impressions;
      counts.yesterdayClicks += clicks;
      counts.yesterdaySpendMicros += billedMicros;
    }
  }
  return counts;
};
