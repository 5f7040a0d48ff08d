import { dayOf, MS_PER_DAY, MS_PER_HOUR } from '../../base/utc-day.ts';
import { type Chance, createChance } from './chance.ts';
import type { BookedCampaign, BookedLineItem } from './bookings.ts';

/** A booking with the ids that Postgres assigned. */
export interface StoredLineItem extends BookedLineItem {
  readonly id: number;
  readonly campaignId: number;
  readonly publisherId: number;
  readonly creativeIds: readonly number[];
  readonly campaign: BookedCampaign;
}

/** What one creative delivered on a day. */
export interface DeliveredDay {
  readonly day: number;
  readonly publisherId: number;
  readonly campaignId: number;
  readonly lineItemId: number;
  readonly creativeId: number;
  readonly placementId: string;
  readonly serves: number;
  readonly impressions: number;
  readonly clicks: number;
  readonly viewable: number;
  /** What an impression, a click and a viewable impression bill. */
  readonly impressionMicros: number;
  readonly clickMicros: number;
  readonly viewableMicros: number;
}

/** Whether it is within its flight, and has something to show. */
export const isLiveOn =
  (day: number) =>
  ({ campaign, creativeIds }: StoredLineItem): boolean =>
    campaign.startDay <= day && day < campaign.startDay + campaign.days && creativeIds.length > 0;

const HISTORY_DAYS = 60;

/** The share of a day's traffic in each UTC hour. */
const HOURS = [22, 14, 9, 7, 8, 14, 28, 46, 56, 58, 56, 55, 58, 57, 54, 52, 52, 54, 58, 64, 66, 58, 44, 30];
const ALL_HOURS = HOURS.reduce((sum, hour) => sum + hour, 0);

/** The share of a day's traffic before a moment of it. */
export const shareUntil = (ms: number): number => {
  const sum = HOURS.reduce((all, hour, i) => all + hour * Math.min(1, Math.max(0, ms / MS_PER_HOUR - i)), 0);
  return sum / ALL_HOURS;
};

const PACE: Readonly<Record<BookedLineItem['course'], readonly [least: number, most: number]>> = {
  'on course': [1.0, 1.015],
  behind: [0.55, 0.9],
  ahead: [1.08, 1.2],
  paused: [1, 1],
  outranked: [0, 0],
  'no creative': [0, 0],
  pending: [0, 0],
};
/** A line item was paused, or runs out of the day, before today. */
const PAUSED_DAYS_AGO = 3;

/** The delivery of the last sixty days and of today so far. */
export const deliveredDays = (lineItems: readonly StoredLineItem[], nowMs: number): readonly DeliveredDay[] => {
  const chance = createChance(60_061);
  const today = dayOf(nowMs);
  const ofToday = shareUntil(nowMs % MS_PER_DAY);
  return lineItems.flatMap((item) => {
    const { campaign, course, creativeIds } = item;
    const pace = chance.between(...PACE[course]);
    const [clickRate, viewRate] = [chance.between(0.0008, 0.006), chance.between(0.45, 0.8)];
    const last = Math.min(course === 'paused' ? today - PAUSED_DAYS_AGO : today, campaign.startDay + campaign.days - 1);
    const days: DeliveredDay[] = [];
    for (let day = Math.max(campaign.startDay, today - HISTORY_DAYS); day <= last && pace > 0; day++) {
      const whole = (item.goal / campaign.days) * pace * chance.between(0.985, 1.015);
      const impressions = (day === today ? ofToday : 1) * whole;
      days.push(
        ...creativeIds.map((id, i) => deliveredDay(item, id, day, impressions / creativeIds.length, { clickRate, viewRate, chance, i })),
      );
    }
    return days;
  });
};

const deliveredDay = (
  { id, campaignId, publisherId, placementId, budgetType, priceMicros }: StoredLineItem,
  creativeId: number,
  day: number,
  share: number,
  {
    clickRate,
    viewRate,
    chance,
    i,
  }: { readonly clickRate: number; readonly viewRate: number; readonly chance: Chance; readonly i: number },
): DeliveredDay => {
  const impressions = Math.round(share);
  // A rare event of a small number: its part is the chance of one more.
  const someOf = (rate: number): number => Math.min(impressions, Math.floor(impressions * rate + chance.between(0, 1)));
  return {
    ...{ day, publisherId, campaignId, lineItemId: id, creativeId, placementId, impressions },
    serves: Math.round(impressions * 1.16),
    clicks: someOf(clickRate * (i === 0 ? 1 : 0.7)),
    viewable: someOf(viewRate),
    impressionMicros: budgetType === 'CPM' ? priceMicros / 1_000 : 0,
    clickMicros: budgetType === 'CPC' ? priceMicros : 0,
    viewableMicros: budgetType === 'VCPM' ? priceMicros / 1_000 : 0,
  };
};
