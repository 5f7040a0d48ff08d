import { PRIORITY_WORDS, type Priority } from '../../catalog/model/choices.ts';
import { MAX_OF_A_CAP } from '../../catalog/model/frequency-caps.ts';
import type { LineItem } from '../../catalog/model/entities.ts';
import { moneyWords, amountFromMicros } from '../../catalog/model/money.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { NoBidReason } from '../../decision/no-bid-reason.ts';
import { limitsOf } from '../../ledger/limits.ts';
import { OUTRANKED, type RefusalReason } from '../../serving/count-refusals.ts';
import { priceInSlots, type LoadedLineItem } from '../loaded-line-item.ts';
import type { Remedy } from './refusals.ts';

/** By how much a limit is raised that keeps a line item from serving. */
const RAISE = 1.5;
const CENT_MICROS = 10_000;

/**
 * The change that would have avoided a refusal. undefined: none of a single record, or it is not
 * the booking's to change: consent, bidders, the same creative twice in a page.
 *
 * @param rivalId the line item that outranked it most often; 0: none
 */
export const remedyOf = (loaded: LoadedLineItem, reason: RefusalReason, rivalId: number): Remedy | undefined => {
  const { lineItem, campaign } = loaded;
  const ofItem = (label: string, patch: Remedy['patch']): Remedy => ({ label, table: 'line_items', id: lineItem.id, patch });
  const ofCampaign = (label: string, patch: Remedy['patch']): Remedy => ({ label, table: 'campaigns', id: campaign.id, patch });
  const limits = limitsOf(lineItem, campaign);
  const amount = (value: number): string => moneyWords(value, campaign.currency);
  switch (reason) {
    case OUTRANKED: {
      const found = rankAbove(loaded, rivalId);
      return found && ofItem(found.label, found.patch);
    }
    case NoBidReason.Pacing:
      return lineItem.pacing === 'ASAP' ? undefined : ofItem('Serve as fast as possible instead of pacing', { pacing: 'ASAP' });
    case NoBidReason.DailyCap: {
      const impressions = limits.dailyImpressions === null ? {} : { daily_impression_cap: Math.ceil(limits.dailyImpressions * RAISE) };
      const spend = limits.dailySpendMicros === null ? {} : { daily_spend_cap: raised(limits.dailySpendMicros) };
      const patch = { ...impressions, ...spend };
      const words = Object.entries(patch).map(([name, value]) =>
        name === 'daily_spend_cap' ? amount(value) : `${value.toLocaleString('en')} impressions`,
      );
      if (words.length > 0) return ofItem(`Raise the daily cap to ${words.join(' and ')}`, patch);
      if (limits.campaignDailyMicros === null) return undefined;
      const daily = raised(limits.campaignDailyMicros);
      return ofCampaign(`Raise the daily budget of the campaign to ${amount(daily)}`, { daily_budget: daily });
    }
    case NoBidReason.BudgetSpent: {
      if (limits.budgetMicros !== null) {
        const budget = raised(limits.budgetMicros);
        return ofItem(`Raise the budget to ${amount(budget)}`, { budget });
      }
      if (limits.campaignBudgetMicros === null) return undefined;
      const budget = raised(limits.campaignBudgetMicros);
      return ofCampaign(`Raise the budget of the campaign to ${amount(budget)}`, { budget });
    }
    case NoBidReason.FrequencyCapped: {
      // Of several caps it is not known which was full.
      const [cap] = limits.frequency?.length === 1 ? limits.frequency : [];
      if (cap?.scope !== 'line_item' || cap.of !== 'impressions' || cap.max >= MAX_OF_A_CAP) return undefined;
      const places = cap.max + 1;
      return ofItem(`Raise the frequency cap to ${places}`, {
        frequency_cap: places,
        frequency_window: cap.windowMs / 1000,
        frequency_caps: [],
      });
    }
    case NoBidReason.RateLimit: {
      if (limits.rate === null) return undefined;
      const perSecond = limits.rate.perSecond * 2;
      return ofItem(`Raise the rate limit to ${perSecond} a second`, { rate_limit: perSecond });
    }
    default:
      return undefined;
  }
};

/** The priority and price with which a line item ranks before its rival. undefined: there are none, or it does already. */
const rankAbove = ({ snapshot, lineItem, campaign }: LoadedLineItem, rivalId: number): Pick<Remedy, 'label' | 'patch'> | undefined => {
  const rival = snapshot.lineItems.get(rivalId);
  if (!rival) return undefined;
  const own = ecpmOf(snapshot, lineItem);
  const other = ecpmOf(snapshot, rival);
  // A bid has no price until it comes: only a better priority is always before it.
  const price = other === 0 ? undefined : own > other ? {} : priceAbove(lineItem, own, other);
  const priority = price === undefined ? rival.priority - 1 : rival.priority;
  if (priority < 1) return undefined;
  const patch = { ...(priority < lineItem.priority ? { priority } : {}), ...price };
  const words = Object.entries(patch).map(([name, value]) =>
    name === 'priority'
      ? `set the priority to ${PRIORITY_WORDS[value as Priority].label}`
      : `raise the price to ${moneyWords(value, campaign.currency)} ${lineItem.budgetType === 'VCPM' ? 'vCPM' : name.toUpperCase()}`,
  );
  return words.length === 0 ? undefined : { label: capital(words.join(' and ')), patch };
};

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** The next cent above the rival's price. A price per click or view is raised in proportion, as its rate stays. undefined: not by its price. */
const priceAbove = (
  { type, budgetType, cpmMicros, cpcMicros, cpcvMicros }: LineItem,
  own: number,
  other: number,
): Readonly<Record<string, number>> | undefined => {
  if (type === 'programmatic') return undefined;
  if (budgetType === 'CPC' && cpcMicros !== null && own > 0) return { cpc: nextCent((cpcMicros * other) / own) };
  if (budgetType === 'CPCV' && cpcvMicros !== null && own > 0) return { cpcv: nextCent((cpcvMicros * other) / own) };
  return budgetType === 'CPM' || cpmMicros !== null ? { cpm: nextCent(other) } : undefined;
};

const nextCent = (micros: number): number => amountFromMicros((Math.floor(micros / CENT_MICROS) + 1) * CENT_MICROS);

const raised = (micros: number): number => amountFromMicros(Math.ceil((micros * RAISE) / CENT_MICROS) * CENT_MICROS);

/** Micros per thousand impressions, as it is ranked; 0: it is not, or by its bids. */
const ecpmOf = (snapshot: Snapshot, lineItem: LineItem): number =>
  priceInSlots(snapshot, lineItem, snapshot.creativesOf(lineItem.id))?.ecpmMicros ?? 0;
