import { capWords } from '../catalog/model/frequency-caps.ts';
import { NoBidReason, wordsOf } from '../decision/no-bid-reason.ts';
import type { RankedCandidate } from '../decision/ranked-candidate.ts';
import { limitsOf, type Limits } from './limits.ts';

/** A refusal by the ledger in words, with the limits of this line item. */
export const describeRefusal = (
  reason: NoBidReason,
  { lineItem, campaign, turn }: Pick<RankedCandidate, 'lineItem' | 'campaign' | 'turn'>,
): string => {
  const limits = limitsOf(lineItem, campaign);
  const amount = (micros: number | null): string => (micros === null ? 'no bound' : `${micros / 1e6} ${campaign.currency}`);
  switch (reason) {
    case NoBidReason.BudgetSpent:
      return `all of the budget is billed or reserved (line item: ${amount(limits.budgetMicros)}, campaign: ${amount(limits.campaignBudgetMicros)})`;
    case NoBidReason.GoalReached:
      return `the goal of the flight is delivered or reserved (${goalWords(limits)})`;
    case NoBidReason.DailyCap:
      return `today's cap is delivered or reserved (${limits.dailyImpressions ?? 'any number of'} impressions, ${amount(limits.dailySpendMicros)}, campaign: ${amount(limits.campaignDailyMicros)})`;
    case NoBidReason.FrequencyCapped:
      return `the user has seen, is being shown or has clicked as much as a frequency cap allows (${(limits.frequency ?? []).map(capWords).join('; ')})`;
    case NoBidReason.NotItsTurn:
      return turn ? `it is step ${turn.step + 1} of ${turn.steps} of its sequence, and the user is at another` : wordsOf(reason);
    case NoBidReason.Pacing:
      return lineItem.pacing === 'ASAP'
        ? "what is left of the campaign's budget is set aside for its paced line items"
        : `${lineItem.pacing} pacing holds it back until later in the day`;
    case NoBidReason.RateLimit:
      return `more than ${limits.rate?.perSecond} serves a second`;
    case NoBidReason.CountersUnavailable:
      return 'it has a limit that cannot be counted while the counters are unavailable';
    default:
      return wordsOf(reason);
  }
};

const goalWords = ({ goalImpressions, goalClicks }: Limits): string =>
  [
    ...(goalImpressions === null ? [] : [`impressions: ${goalImpressions}`]),
    ...(goalClicks === null ? [] : [`clicks: ${goalClicks}`]),
  ].join(', ');
