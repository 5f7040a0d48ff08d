import type { Declared, Notes } from '../imported.ts';
import type { CampaignRow, Delivered } from './revive-rows.ts';
import { capFault, datesOf, flightOf, notedCampaign, type BannerGroup } from './to-line-items.ts';

/** A campaign of Revive that is served now, or will be. */
const SERVED_STATUSES = [0, 2];
/** How it is paid: revenue_type. */
const CPM = 1;
const CPC = 2;
const CPA = 3;
const TENANCY = 4;
const OVERRIDE = -1;

export interface CampaignOptions {
  readonly campaign: CampaignRow;
  readonly groups: readonly BannerGroup[];
  readonly keyOf: (kind: string, id: number) => string;
  readonly delivered: Delivered;
  /** Of a banner in a group, with their placements. */
  readonly creativesOf: (group: BannerGroup) => readonly Declared[];
  readonly notes: Notes;
}

/** A campaign of Revive with its line items: one for all banners with the same delivery rules. */
export const toCampaign = (options: CampaignOptions): Declared => {
  const { campaign, groups, keyOf, creativesOf, notes } = options;
  const noted = notedCampaign(campaign);
  const flight = flightOf(campaign);
  const name = campaign.campaignname.slice(0, 256) || `Campaign ${campaign.campaignid}`;
  const session = capFault(campaign);
  const { campaignFields, itemFields, pausedBecause } = deliveryOf(options);
  for (const text of [...pausedBecause, ...(session === undefined ? [] : [session])]) notes.add('paused', noted, text);
  const isPaused = pausedBecause.length > 0 || session !== undefined;
  const isServed = SERVED_STATUSES.includes(campaign.status) && !isWithoutWeight(campaign);
  sayDifferences(options);
  return {
    ...{ key: keyOf('campaign', campaign.campaignid), name, advertiser: keyOf('client', campaign.clientid), ...datesOf(flight) },
    ...campaignFields,
    line_items: groups.map((group, i) => {
      const own = { startMs: Math.max(flight.startMs, group.fromMs), endMs: Math.min(flight.endMs, group.untilMs) };
      const isEmpty = own.endMs <= own.startMs;
      const [first] = group.banners;
      return {
        key: groups.length === 1 ? keyOf('campaign', campaign.campaignid) : keyOf('banner', first!.banner.bannerid),
        name: groups.length === 1 ? name : `${name}, ${first!.banner.description || i + 1}`.slice(0, 256),
        active: isServed && !isPaused && !group.isPaused && !isEmpty,
        ...datesOf(isEmpty ? flight : own),
        ...itemFields,
        ...group.fields,
        creatives: creativesOf(group),
      };
    }),
  };
};

/** Campaigns share what is left by their weights. Contracts have none: Revive refuses one. */
const isWithoutWeight = ({ priority, weight }: CampaignRow): boolean => priority <= 0 && weight < 1;

interface Delivery {
  readonly campaignFields: Declared;
  readonly itemFields: Declared;
  readonly pausedBecause: readonly string[];
}

/** Price, priority, goals and pacing. A goal is of the campaign in Revive; several line items share one as a budget. */
const deliveryOf = ({ campaign, groups, delivered, notes }: CampaignOptions): Delivery => {
  const noted = notedCampaign(campaign);
  const { priority, views, clicks, conversions, expire_time: until } = campaign;
  const price = priceOf(campaign, (text) => notes.add('changed', noted, text));
  const paused: string[] = [];
  const isContract = priority > 0;
  if (conversions > 0) paused.push(`ends after ${conversions} conversions, which are not counted here`);
  if (campaign.target_click > 0 && isContract) paused.push(`has a goal of ${campaign.target_click} clicks a day, which is not known here`);
  if (campaign.target_conversion > 0 && isContract) paused.push('has a goal of conversions a day, which are not counted here');
  const goals = [
    ['impressions', 'goal_impressions', views, delivered.impressions],
    ['clicks', 'goal_clicks', clicks, delivered.clicks],
  ] as const;
  const itemFields: Record<string, unknown> = { ...price, ...(isContract ? {} : { priority: priority === OVERRIDE ? 1 : 3 }) };
  const campaignFields: Record<string, unknown> = {};
  const cpm = 'cpm' in price && price['budget_type'] === 'CPM' && (price['cpm'] as number) > 0 ? (price['cpm'] as number) : undefined;
  const bound = (field: string, budget: string, amount: number, words: string): void => {
    if (groups.length <= 1) itemFields[field] = amount;
    else if (cpm !== undefined && budget !== '') {
      campaignFields[budget] = Math.round(amount * cpm * 1000) / 1e6;
      notes.add(
        'changed',
        noted,
        `${words} of all its line items together is the ${budget.replace('_', ' ')} ${String(campaignFields[budget])}`,
      );
    } else paused.push(`has ${words} for banners with different delivery rules, which are several line items: divide it among them`);
  };
  for (const [what, field, booked, done] of goals) {
    if (booked <= 0) continue;
    const left = booked - done;
    if (done > 0)
      notes.add('changed', noted, `Revive has delivered ${done} of ${booked} ${what}: the goal is what is left, ${Math.max(left, 0)}`);
    if (left > 0) bound(field, field === 'goal_impressions' ? 'budget' : '', left, `a goal of ${left} ${what}`);
    else paused.push(`has reached its goal of ${booked} ${what}`);
  }
  const daily = campaign.target_impression;
  if (isContract && daily > 0) bound('daily_impression_cap', 'daily_budget', daily, `a goal of ${daily} impressions a day`);
  const isSpread = isContract && (daily > 0 || (views > 0 && until !== null));
  return { campaignFields, itemFields: { ...itemFields, ...(isSpread && { pacing: 'Even' }) }, pausedBecause: paused };
};

const priceOf = ({ revenue, revenue_type: type }: CampaignRow, differs: (text: string) => void): Declared => {
  const amount = Number(revenue ?? 0);
  if (type === CPC && amount > 0) return { budget_type: 'CPC', cpc: amount };
  if ((type === CPA || type === TENANCY) && amount > 0) {
    const words = type === CPA ? `${amount} per conversion` : `${amount} a month`;
    differs(`is paid ${words}, which is no price here: it is Flat without a fee, and ranks with a CPM of 0. Set the fee`);
    return { budget_type: 'Flat', cpm: 0 };
  }
  const cpm = Math.round(amount * 1000) / 1000;
  if ((type === CPM || type === null) && cpm !== amount) differs(`its price ${amount} has more than three decimals: it is ${cpm}`);
  return { budget_type: 'CPM', cpm };
};

/** What is delivered a little differently, and does not stop a campaign. */
const sayDifferences = ({ campaign, groups, notes }: CampaignOptions): void => {
  const add = (text: string): void => notes.add('changed', notedCampaign(campaign), text);
  const { priority, weight, companion } = campaign;
  if (priority > 0) add(`is a contract campaign of level ${priority}: it has priority 2, and those of a priority rank by price`);
  if (priority < OVERRIDE) add('is a remnant campaign by eCPM: it has priority 3, and ranks by its price');
  if (priority <= 0 && weight > 1)
    add(`has weight ${weight}: campaigns of a priority rank by price, and share by turns where that is equal`);
  if (isWithoutWeight(campaign)) add('has weight 0: its line items are not active');
  if (companion) add('is a companion campaign: its banners are not bound to each other. See Roadblock and companion sets');
  if (campaign.show_capped_no_cookie)
    add('serves to visitors without a cookie in spite of its caps; here it does not, unless the publisher says so');
  const isWeighted = groups.some(({ banners }) => banners.some(({ banner }) => banner.weight > 1));
  if (groups.length > 1 && isWeighted) add('the weights of its banners count within a line item, and not between them');
};
