import { MS_PER_DAY } from '../../base/utc-day.ts';
import type { RecentCounts } from '../model/catalog-reading.ts';
import type { LineItem } from '../model/entities.ts';

export const NO_COUNTS: RecentCounts = { impressions: 0, clicks: 0, billingEvents: 0, days: 0 };

/**
 * Smoothing of the click-through rate, as if each line item began with 1,000 impressions and one
 * click (0.1 %).
 */
const PRIOR_IMPRESSIONS = 1000;
const PRIOR_CLICKS = 1;
/** Without any counts. */
export const PRIOR_CLICK_RATE = PRIOR_CLICKS / PRIOR_IMPRESSIONS;
/** Smoothing of viewable and completion rates, as if each line item began with 50 viewable, or completed, impressions of 100. */
const PRIOR_VIEWED_IMPRESSIONS = 100;
const PRIOR_BILLING_EVENTS = 50;
/**
 * Assumed daily delivery of a flat line item without history; weighs as one more day beside its
 * days with delivery.
 */
const PRIOR_DAILY_IMPRESSIONS = 10_000;
/** Keeps prices safe integers even for a flat fee with very few expected impressions. */
const MAX_ECPM_MICROS = 1_000_000_000_000;

/**
 * Value of a thousand impressions of a line item, in whole micros; its rank follows from it.
 *
 * CPM: the price. VCPM: price × smoothed viewable rate. CPC: price × smoothed click-through rate ×
 * 1000. CPCV: price × smoothed completion rate × 1000. Flat: the CPM when one is given, else the remaining budget over the impressions expected in
 * the rest of the flight. Events of a flat line item bill nothing, so its fee is earned evenly over
 * time. Programmatic: 0, because its price is the bid.
 */
export const ecpmMicros = (lineItem: LineItem, recent: RecentCounts, nowMs: number): number => {
  if (lineItem.type === 'programmatic') return 0;
  switch (lineItem.budgetType) {
    case 'CPM':
      return lineItem.cpmMicros ?? 0;
    case 'VCPM':
      return bounded((lineItem.cpmMicros ?? 0) * eventRateOf(recent));
    case 'CPC':
      return bounded((lineItem.cpcMicros ?? 0) * clickRateOf(recent) * 1000);
    case 'CPCV':
      return bounded((lineItem.cpcvMicros ?? 0) * eventRateOf(recent) * 1000);
    case 'Flat':
      return lineItem.cpmMicros ?? flatEcpmMicros(lineItem, recent, nowMs);
  }
};

/** The click-through rate that is expected of a line item, above 0 and at most 1. */
export const clickRateOf = ({ impressions, clicks }: Pick<RecentCounts, 'impressions' | 'clicks'>): number =>
  Math.min((clicks + PRIOR_CLICKS) / (impressions + PRIOR_IMPRESSIONS), 1);

/** The part of impressions that is expected to be viewable, or to be played to the end, where that bills. */
const eventRateOf = ({ impressions, billingEvents }: RecentCounts): number =>
  Math.min((billingEvents + PRIOR_BILLING_EVENTS) / (impressions + PRIOR_VIEWED_IMPRESSIONS), 1);

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
