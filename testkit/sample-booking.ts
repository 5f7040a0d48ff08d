import { CHECKS } from '../src/catalog/checks/check-entities.ts';
import { bidderOf } from '../src/catalog/model/bidder-of.ts';
import { NO_TRAITS, type AdvertiserBlock } from '../src/catalog/model/advertiser.ts';
import type { BlockList } from '../src/catalog/model/block-list.ts';
import { NO_SHARED_COUNTS } from '../src/catalog/model/frequency-caps.ts';
import type { Bidder, Campaign, Creative, LineItem, PublisherPrivacy } from '../src/catalog/model/entities.ts';
import { toLineItem } from '../src/catalog/snapshot/to-entities.ts';

/** The defaults of a publisher. */
export const samplePrivacy: PublisherPrivacy = {
  consentWhenSilent: 'by_country',
  usOptOutEndsCaps: false,
  capsWithoutUserId: 'contextual',
};

/** Blocks nothing. */
export const sampleBlocked: BlockList = { badv: new Set(), bcat: [], acat: [], cattax: 1, battr: [] };

/** Blocks no advertiser. */
export const sampleBlockedAdvertisers: AdvertiserBlock = { ids: [], labels: [] };

/** A campaign of publisher 1 without a budget, but for what is given. */
export const sampleCampaign = (changes: Partial<Campaign> & Pick<Campaign, 'flight'>): Campaign => ({
  id: 1,
  edition: 0,
  publisherId: 1,
  advertiserId: null,
  currency: 'USD',
  traits: NO_TRAITS,
  counted: NO_SHARED_COUNTS,
  dailyBudgetMicros: null,
  name: 'campaign',
  budgetMicros: null,
  stop: null,
  ownStop: null,
  ...changes,
});

/** The defaults of a line item at a CPM of 1 USD. */
const bookedLineItem = (): LineItem => {
  const booked = { campaign_id: 1, name: 'line item', active: true, start_date: '2026-01-01', end_date: '2026-12-31', cpm: 1 };
  const checked = CHECKS.line_items(booked, { dimensions: new Map() });
  if (!checked.ok) throw new Error(JSON.stringify(checked.faults));
  return toLineItem({ id: 1, edition: 0 }, checked.record, 1);
};
const LINE_ITEM = bookedLineItem();

/** A direct line item of campaign 1 of publisher 1 that asks for nothing and has no limits, at a CPM of 1 USD, but for what is given. */
export const sampleLineItem = (changes: Partial<LineItem> & Pick<LineItem, 'flight'>): LineItem => ({ ...LINE_ITEM, ...changes });

/** A bidder in the currency of publishers with an endpoint and nothing else, but for what is given. */
export const sampleBidder = (changes: Partial<Bidder> & Pick<Bidder, 'endpoint'>): Bidder => ({
  ...bidderOf(sampleLineItem({ flight: { startMs: 0, endMs: 1 }, endpoint: changes.endpoint }), new Map())!,
  ...changes,
});

/** A creative that fits any slot, with the id of its line item but for what is given. */
export const sampleCreative = (lineItemId: number, changes: Partial<Creative> = {}): Creative => ({
  id: lineItemId,
  edition: 0,
  placementIds: ['top'],
  lineItemId,
  content: { format: 'html', markup: '<b>ad</b>' },
  advertiserDomain: null,
  categories: [],
  disclosure: [],
  hasOwnDomain: false,
  width: null,
  height: null,
  clickUrl: null,
  weight: 1,
  step: null,
  companionSet: null,
  stop: null,
  ...changes,
});
