import { definedMembers } from '../../base/narrow.ts';
import { amountFromMicros } from '../../catalog/model/money.ts';
import { capWords } from '../../catalog/model/frequency-caps.ts';
import type { RankedCandidate } from '../../decision/ranked-candidate.ts';
import { limitsOf } from '../../ledger/limits.ts';
import type { LimitReading } from '../../ledger/read/read-limits.ts';
import type { ShownLimits, Usage } from './explanation.ts';

/** The values that the ledger read, and the limits that apply to them. */
export const showLimits = ({ lineItem, campaign }: RankedCandidate, reading: LimitReading): ShownLimits => {
  const { pacing: mode } = lineItem;
  const limits = limitsOf(lineItem, campaign);
  const daily_impressions = usage(reading.impressionsToday, reading.heldToday, limits.dailyImpressions);
  const daily_spend = amountUsage(reading.spendTodayMicros, reading.heldTodayMicros, limits.dailySpendMicros);
  const budget = amountUsage(reading.totalSpendMicros, reading.heldMicros, limits.budgetMicros);
  const campaign_budget = amountUsage(reading.campaignSpendMicros, reading.campaignHeldMicros, limits.campaignBudgetMicros);
  const goal_impressions = usage(reading.totalImpressions, reading.heldImpressions, limits.goalImpressions);
  const goal_clicks = usage(reading.totalClicks, 0, limits.goalClicks);
  const campaign_daily_budget = amountUsage(reading.campaignSpendTodayMicros, reading.campaignHeldTodayMicros, limits.campaignDailyMicros);
  const cap = reading.capAt === null ? undefined : limits.frequency?.[reading.capAt];
  const frequency =
    cap && reading.placesHeld !== null
      ? {
          scope: cap.scope,
          of: cap.of,
          places_held: reading.placesHeld,
          places: cap.max,
          window: cap.windowMs / 1000,
          free_at: reading.placeFreeAtMs === null ? null : new Date(reading.placeFreeAtMs).toISOString(),
        }
      : undefined;
  const pacing = reading.pacing
    ? { mode, target: reading.pacing.due, goal: reading.pacing.goal, permits: reading.pacing.permits }
    : undefined;
  const rate =
    limits.rate && reading.rateTokens !== null
      ? { tokens: reading.rateTokens, per_second: limits.rate.perSecond, burst: limits.rate.burst }
      : undefined;
  const words = [
    daily_impressions && `impressions today: ${inWords(daily_impressions)}`,
    daily_spend && `spend today: ${inWords(daily_spend)} ${campaign.currency}`,
    budget && `budget: ${inWords(budget)} ${campaign.currency}`,
    campaign_budget && `campaign budget: ${inWords(campaign_budget)} ${campaign.currency}`,
    campaign_daily_budget && `campaign budget today: ${inWords(campaign_daily_budget)} ${campaign.currency}`,
    goal_impressions && `goal of impressions: ${inWords(goal_impressions)}`,
    goal_clicks && `goal of clicks: ${goal_clicks.used} counted of ${goal_clicks.limit}`,
    frequency &&
      `frequency: the user has ${frequency.places_held} of ${cap && capWords(cap)}${frequency.free_at === null ? '' : `; one is free again at ${frequency.free_at}`}`,
    pacing &&
      `pacing ${mode}: ${committed(reading)} committed, ${pacing.target} due by now of ${pacing.goal} today, permits ${pacing.permits}`,
    rate && `rate: ${rate.tokens} of ${rate.burst} tokens, ${rate.per_second} a second`,
  ].filter((sentence) => sentence !== undefined);
  const amounts = { daily_impressions, daily_spend, budget, campaign_budget, campaign_daily_budget, goal_impressions, goal_clicks };
  return { ...definedMembers({ ...amounts, frequency, pacing, rate }), words };
};

const usage = (used: number, reserved: number, limit: number | null): Usage | undefined =>
  limit === null ? undefined : { used, reserved, limit };

const amountUsage = (used: number, reserved: number, limit: number | null): Usage | undefined =>
  limit === null ? undefined : { used: amountFromMicros(used), reserved: amountFromMicros(reserved), limit: amountFromMicros(limit) };

const inWords = ({ used, reserved, limit }: Usage): string => `${used} counted and ${reserved} reserved of ${limit}`;

const committed = ({ impressionsToday, heldToday }: LimitReading): number => impressionsToday + heldToday;
