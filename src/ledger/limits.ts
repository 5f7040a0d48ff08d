import type { Campaign, LineItem, RateLimit } from '../catalog/model/entities.ts';
import { pricingOf } from '../catalog/model/pricing.ts';
import { countedCaps, type CountedCap } from './frequency-counters.ts';

/** The hit that bills an ad: its impression, its click, or its first event of the type `viewable` or `complete`. */
export const BILLS_ON = ['impression', 'click', 'viewable', 'complete'] as const;
export type BillsOn = (typeof BILLS_ON)[number];

/** All limits of a line item's delivery. null: no limit. Money in micros. */
export interface Limits {
  /** Impressions per day of the publisher. */
  readonly dailyImpressions: number | null;
  readonly dailySpendMicros: number | null;
  /** Over the whole flight. */
  readonly budgetMicros: number | null;
  /** Over the whole flight: goals, at which the line item stops. */
  readonly goalImpressions: number | null;
  readonly goalClicks: number | null;
  /** Limits the sum of the campaign's line items. */
  readonly campaignBudgetMicros: number | null;
  /** Limits the sum of its line items, per day of the publisher. */
  readonly campaignDailyMicros: number | null;
  /** null: none. */
  readonly frequency: readonly CountedCap[] | null;
  readonly rate: RateLimit | null;
}

export const NO_LIMITS: Limits = {
  dailyImpressions: null,
  dailySpendMicros: null,
  budgetMicros: null,
  goalImpressions: null,
  goalClicks: null,
  campaignBudgetMicros: null,
  campaignDailyMicros: null,
  frequency: null,
  rate: null,
};

/** The hit that bills a line item; of a Flat one the impression, at 0. */
export const billsOnOf = (lineItem: Pick<LineItem, 'type' | 'budgetType'>): BillsOn => {
  switch (pricingOf(lineItem)) {
    case 'CPC':
      return 'click';
    case 'VCPM':
      return 'viewable';
    case 'CPCV':
      return 'complete';
    case 'CPM':
    case 'Flat':
      return 'impression';
  }
};

/** What a hit bills after the impression, in micros; undefined: the impression itself bills. */
export const laterPriceMicros = (lineItem: LineItem): number | undefined => {
  switch (billsOnOf(lineItem)) {
    case 'impression':
      return undefined;
    case 'click':
      return lineItem.cpcMicros ?? 0;
    case 'viewable':
      return (lineItem.cpmMicros ?? 0) / 1000;
    case 'complete':
      return lineItem.cpcvMicros ?? 0;
  }
};

/**
 * Whether the hold of an ad has its price: until its impression, or until its video is complete. Most clicks and viewable events
 * never come, so nothing is held for them, and they bill what is left.
 */
export const holdsPrice = (billsOn: BillsOn): boolean => billsOn === 'impression' || billsOn === 'complete';

/**
 * The limits of a line item, including its campaign's budget. The only place that decides which
 * limits apply: the ledger enforces them; the trace, the delivery page and explain show them.
 *
 * A Flat fee is agreed in advance: events of the line item bill nothing, so neither its own budget
 * nor the campaign's limits them.
 */
export const limitsOf = (lineItem: LineItem, campaign: Campaign): Limits => {
  const isFlat = pricingOf(lineItem) === 'Flat';
  return {
    dailyImpressions: lineItem.dailyImpressionCap,
    dailySpendMicros: lineItem.dailySpendCapMicros,
    budgetMicros: isFlat ? null : lineItem.budgetMicros,
    goalImpressions: lineItem.goals.impressions,
    goalClicks: lineItem.goals.clicks,
    campaignBudgetMicros: isFlat ? null : campaign.budgetMicros,
    campaignDailyMicros: isFlat ? null : campaign.dailyBudgetMicros,
    frequency: countedCaps({ lineItem, campaign }),
    rate: lineItem.rateLimit,
  };
};

/**
 * Whether a line item has no limit to count against. Only these serve while the counters are
 * unavailable.
 */
export const isUnbounded = (lineItem: LineItem, campaign: Campaign): boolean =>
  Object.values(limitsOf(lineItem, campaign)).every((limit) => limit === null);
