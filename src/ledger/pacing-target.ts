import type { Campaign, LineItem } from '../catalog/model/entities.ts';
import type { Account } from './read/read-accounts.ts';
import type { TrafficCurve } from '../catalog/snapshot/traffic-curve.ts';

export interface PacingTargetInput {
  readonly lineItem: LineItem;
  readonly campaign: Campaign;
  /** Of the line item; undefined when nothing has happened yet. */
  readonly account: Account | undefined;
  readonly campaignAccount: Account | undefined;
  /** What an impression is expected to cost, in micros, as the ranking has it: 0 for a flat fee. */
  readonly expectedMicros: number;
  readonly curve: TrafficCurve;
  readonly nowMs: number;
}

/** What a paced line item should have committed (impressions and unexpired reservations of today) by now, and by the end of today. */
export interface PacingTarget {
  readonly now: number;
  readonly today: number;
}

const MS_PER_DAY = 86_400_000;
const LEAST_SPAN = 1 / 8640;

/**
 * The line that pacing follows: straight, over the publisher's traffic, from where it began today to today's goal. For people; what is
 * served is decided by lua/include/pacing.lua, whose pacing_day, pacing_goal and pacing_line these are.
 *
 * @returns null for ASAP, and for a line item that has neither a cap nor a budget to pace
 */
export const pacingTarget = (input: PacingTargetInput): PacingTarget | null => {
  const { lineItem, account, curve, nowMs } = input;
  if (lineItem.pacing === 'ASAP') return null;
  const flightEndMs = Math.min(lineItem.flight.endMs, input.campaign.flight.endMs);
  const share = shareOfDay(nowMs, curve, flightEndMs);
  const today = goalOfToday(input, flightEndMs, share);
  if (today === undefined) return null;
  const pace = account?.day === Math.floor(nowMs / MS_PER_DAY) ? account.pace : undefined;
  const { fromShare, baseCount } = pace ?? { fromShare: 0, baseCount: 0 };
  const rate = Math.max(today - baseCount, 0) / Math.max(1 - fromShare, LEAST_SPAN);
  return { now: baseCount + rate * Math.max(share - fromShare, 0), today };
};

/** The part of the pacing day that has passed: of the traffic, or of the time when the flight ends today. */
const shareOfDay = (nowMs: number, { hourStartMs, shareBefore, shareOfHour }: TrafficCurve, flightEndMs: number): number => {
  const startMs = nowMs - (nowMs % MS_PER_DAY);
  if (flightEndMs < startMs + MS_PER_DAY) return Math.min((nowMs - startMs) / Math.max(flightEndMs - startMs, 1), 1);
  if (hourStartMs < startMs) return 0;
  if (hourStartMs >= startMs + MS_PER_DAY) return 1;
  return Math.min(shareBefore + shareOfHour * Math.min(Math.max((nowMs - hourStartMs) / 3_600_000, 0), 1), 1);
};

/** Impressions with which today should end, by the tightest of the caps and budgets; undefined: nothing to pace. */
const goalOfToday = (input: PacingTargetInput, flightEndMs: number, share: number): number | undefined => {
  const { lineItem: item, campaign, account, campaignAccount, expectedMicros, nowMs } = input;
  const isToday = account?.day === Math.floor(nowMs / MS_PER_DAY);
  const committed = account && isToday ? account.today.impressions + account.heldToday : 0;
  const span = Math.max(1 - share, LEAST_SPAN);
  const laterDays = Math.max(flightEndMs - (Math.floor(nowMs / MS_PER_DAY) + 1) * MS_PER_DAY, 0) / MS_PER_DAY;
  const part = span / (span + laterDays);
  const lefts: number[] = [];
  if (item.dailyImpressionCap !== null) lefts.push(item.dailyImpressionCap - committed);
  if (expectedMicros > 0) {
    if (item.dailySpendCapMicros !== null) {
      const spent = account && isToday ? account.today.spendMicros + account.heldTodayMicros : 0;
      lefts.push((item.dailySpendCapMicros - spent) / expectedMicros);
    }
    // A flat fee is agreed, not spent: it bounds nothing.
    if (item.budgetType !== 'Flat' && item.budgetMicros !== null) {
      lefts.push(((item.budgetMicros - committedMicros(account)) / expectedMicros) * part);
    }
    if (item.budgetType !== 'Flat' && campaign.budgetMicros !== null) {
      const own = Math.min((servesOf(account, nowMs) + 1) / (servesOf(campaignAccount, nowMs) + 1), 1);
      lefts.push(((campaign.budgetMicros - committedMicros(campaignAccount)) / expectedMicros) * part * own);
    }
  }
  return lefts.length === 0 ? undefined : committed + Math.max(Math.min(...lefts), 0);
};

const committedMicros = (account: Account | undefined): number => (account ? account.totalSpendMicros + account.heldMicros : 0);

const servesOf = (account: Account | undefined, nowMs: number): number =>
  account?.day === Math.floor(nowMs / MS_PER_DAY) ? account.today.serves : 0;
