import { MS_PER_DAY } from '../../base/utc-day.ts';
import type { LineItem } from '../model/entities.ts';

/** What a line item did of late: the sums of the last 30 UTC days, and on how many of them it did anything. */
export interface RecentCounts {
  readonly impressions: number;
  readonly clicks: number;
  readonly days: number;
}

export const NO_COUNTS: RecentCounts = { impressions: 0, clicks: 0, days: 0 };

/** Smoothing of the click-through rate: as if each line item had begun with 1,000 impressions and one click (0.1 %). */
const PRIOR_IMPRESSIONS = 1000;
const PRIOR_CLICKS = 1;
/** What a flat line item is taken to deliver a day until it has shown otherwise; counts as one more day beside those it has had. */
const PRIOR_DAILY_IMPRESSIONS = 10_000;
/** Prices stay safe integers even for a flat fee with hardly an impression to spread over. */
const MAX_ECPM_MICROS = 1_000_000_000_000;

/**
 * What a thousand impressions of a line item are worth, in whole micros; its rank follows from it.
 *
 * CPM: the price. CPC: price × smoothed click-through rate × 1000. Flat: the CPM when one is given, else what is left of the budget over the
 * impressions expected in what is left of the flight; as events of a flat line item bill nothing, its fee is earned evenly with time.
 * Programmatic: 0, because its price is the bid.
 */
export const ecpmMicros = (lineItem: LineItem, recent: RecentCounts, nowMs: number): number => {
  if (lineItem.type === 'programmatic') return 0;
  switch (lineItem.budgetType) {
    case 'CPM':
      return lineItem.cpmMicros ?? 0;
    case 'CPC': {
      const clickRate = (recent.clicks + PRIOR_CLICKS) / (recent.impressions + PRIOR_IMPRESSIONS);
      return bounded((lineItem.cpcMicros ?? 0) * clickRate * 1000);
    }
    case 'Flat':
      return lineItem.cpmMicros ?? flatEcpmMicros(lineItem, recent, nowMs);
  }
};

const flatEcpmMicros = ({ flight, budgetMicros, dailyImpressionCap }: LineItem, recent: RecentCounts, nowMs: number): number => {
  const leftMs = flight.endMs - Math.max(nowMs, flight.startMs);
  if (budgetMicros === null || leftMs <= 0) return 0;
  const budgetLeftMicros = (budgetMicros * leftMs) / (flight.endMs - flight.startMs);
  const daily = (recent.impressions + PRIOR_DAILY_IMPRESSIONS) / (recent.days + 1);
  const expectedDaily = dailyImpressionCap === null ? daily : Math.min(daily, dailyImpressionCap);
  const expectedImpressions = Math.max(1, (expectedDaily * leftMs) / MS_PER_DAY);
  return bounded((budgetLeftMicros / expectedImpressions) * 1000);
};

const bounded = (micros: number): number => Math.min(MAX_ECPM_MICROS, Math.round(micros));
