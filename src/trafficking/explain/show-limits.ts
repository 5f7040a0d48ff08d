import { usdFromMicros } from '../../catalog/model/money.ts';
import type { RankedCandidate } from '../../decision/ranked-candidate.ts';
import type { LimitReading } from '../../ledger/read/read-limits.ts';

/** One limit: the amounts used and reserved, and the maximum. */
interface Stand {
  readonly used: number;
  readonly reserved: number;
  readonly limit: number;
}

/** Only limits that the line item or its campaign has. Money in USD. */
export interface ShownLimits {
  readonly daily_impressions?: Stand;
  readonly daily_spend?: Stand;
  readonly budget?: Stand;
  readonly campaign_budget?: Stand;
  readonly frequency?: { readonly places_held: number; readonly places: number; readonly window: number; readonly free_at: string | null };
  readonly pacing?: { readonly mode: string; readonly target: number; readonly goal: number; readonly allowance: number };
  readonly rate?: { readonly tokens: number; readonly per_second: number; readonly burst: number };
  /** The same as sentences. */
  readonly words: readonly string[];
}

/** The values that the ledger read, and the limits that apply to them. */
export const showLimits = ({ lineItem, campaign }: RankedCandidate, reading: LimitReading): ShownLimits => {
  const { frequencyCap, rateLimit, pacing: mode } = lineItem;
  // A flat fee is agreed in advance, so budgets do not limit it.
  const flat = lineItem.budgetType === 'Flat';
  const daily_impressions = stand(reading.impressionsToday, reading.heldToday, lineItem.dailyImpressionCap);
  const daily_spend = usdStand(reading.spendTodayMicros, reading.heldTodayMicros, lineItem.dailySpendCapMicros);
  const budget = usdStand(reading.totalSpendMicros, reading.heldMicros, flat ? null : lineItem.budgetMicros);
  const campaign_budget = usdStand(reading.campaignSpendMicros, reading.campaignHeldMicros, flat ? null : campaign.budgetMicros);
  const frequency =
    frequencyCap && reading.placesHeld !== null
      ? {
          places_held: reading.placesHeld,
          places: frequencyCap.places,
          window: frequencyCap.windowMs / 1000,
          free_at: reading.placeFreeAtMs === null ? null : new Date(reading.placeFreeAtMs).toISOString(),
        }
      : undefined;
  const pacing = reading.pacing
    ? { mode, target: reading.pacing.due, goal: reading.pacing.goal, allowance: reading.pacing.allowance }
    : undefined;
  const rate =
    rateLimit && reading.rateTokens !== null
      ? { tokens: reading.rateTokens, per_second: rateLimit.perSecond, burst: rateLimit.burst }
      : undefined;
  const words = [
    daily_impressions && `impressions today: ${said(daily_impressions)}`,
    daily_spend && `spend today: ${said(daily_spend)} USD`,
    budget && `budget: ${said(budget)} USD`,
    campaign_budget && `campaign budget: ${said(campaign_budget)} USD`,
    frequency &&
      `frequency: the user holds ${frequency.places_held} of ${frequency.places} places in ${frequency.window} s${frequency.free_at === null ? '' : `; one is free again at ${frequency.free_at}`}`,
    pacing &&
      `pacing ${mode}: ${committed(reading)} committed, ${pacing.target} due by now of ${pacing.goal} today, allowance ${pacing.allowance}`,
    rate && `rate: ${rate.tokens} of ${rate.burst} tokens, ${rate.per_second} a second`,
  ].filter((sentence) => sentence !== undefined);
  return {
    ...(daily_impressions && { daily_impressions }),
    ...(daily_spend && { daily_spend }),
    ...(budget && { budget }),
    ...(campaign_budget && { campaign_budget }),
    ...(frequency && { frequency }),
    ...(pacing && { pacing }),
    ...(rate && { rate }),
    words,
  };
};

const stand = (used: number, reserved: number, limit: number | null): Stand | undefined =>
  limit === null ? undefined : { used, reserved, limit };

const usdStand = (used: number, reserved: number, limit: number | null): Stand | undefined =>
  limit === null ? undefined : { used: usdFromMicros(used), reserved: usdFromMicros(reserved), limit: usdFromMicros(limit) };

const said = ({ used, reserved, limit }: Stand): string => `${used} counted and ${reserved} reserved of ${limit}`;

const committed = ({ impressionsToday, heldToday }: LimitReading): number => impressionsToday + heldToday;
