import type { Campaign, LineItem } from '../catalog/model/entities.ts';
import { NoBidReason, reasonName } from './no-bid-reason.ts';

const usd = (micros: number | null): string => (micros === null ? 'no bound' : `${micros / 1e6} USD`);

/** What a refusal by the ledger means for this line item, in words and with its figures. */
export const describeRefusal = (
  reason: NoBidReason,
  { lineItem, campaign }: { readonly lineItem: LineItem; readonly campaign: Campaign },
): string => {
  switch (reason) {
    case NoBidReason.BudgetSpent:
      return `all of the budget is billed or reserved (line item: ${usd(lineItem.budgetMicros)}, campaign: ${usd(campaign.budgetMicros)})`;
    case NoBidReason.DailyCap:
      return `today's cap is delivered or reserved (${lineItem.dailyImpressionCap ?? 'any number of'} impressions, ${usd(lineItem.dailySpendCapMicros)})`;
    case NoBidReason.FrequencyCapped:
      return `the user has seen or is being shown it ${lineItem.frequencyCap?.places} times within ${(lineItem.frequencyCap?.windowMs ?? 0) / 1000} s`;
    case NoBidReason.Pacing:
      return `${lineItem.pacing} pacing holds it back until later in the day`;
    case NoBidReason.RateLimit:
      return `more than ${lineItem.rateLimit?.perSecond} serves a second`;
    case NoBidReason.DuplicateInPage:
      return 'another impression of this request already shows the creative';
    case NoBidReason.CountersUnavailable:
      return 'it has a limit that cannot be counted while the counters are away';
    default:
      return reasonName(reason).replaceAll('_', ' ');
  }
};
