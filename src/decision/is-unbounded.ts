import type { Campaign, LineItem } from '../catalog/model/entities.ts';

/**
 * Whether a line item may serve without anyone counting: it has no cap, no budget and no rate of its own or of its campaign that could be
 * passed. Only these run while the counters are away. A flat fee is agreed, not spent, so its budget bounds nothing.
 */
export const isUnbounded = (lineItem: LineItem, campaign: Campaign): boolean =>
  lineItem.dailyImpressionCap === null &&
  lineItem.dailySpendCapMicros === null &&
  lineItem.frequencyCap === null &&
  lineItem.rateLimit === null &&
  (lineItem.budgetType === 'Flat' || (lineItem.budgetMicros === null && campaign.budgetMicros === null));
