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
