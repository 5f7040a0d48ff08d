import { SECONDS_PER_DAY } from '../../base/utc-day.ts';
import { targetingRules } from '../../targeting/targeting-rules.ts';
import { NO_TRAITS, type Advertiser, type AdvertiserBlock } from '../model/advertiser.ts';
import type { BlockList } from '../model/block-list.ts';
import type { Bidder, Campaign, Creative, CreativeStatus, LineItem, Placement, Publisher } from '../model/entities.ts';
import type { SellerNode } from '../model/seller-node.ts';
import type { Stop } from '../model/stops.ts';
import { parseCreativeContent } from '../checks/parse-content.ts';
import { flightOf } from '../model/flight-dates.ts';
import { goalsOf } from '../model/goals.ts';
import { microsFromUsd } from '../model/money.ts';
import type {
  AdvertiserRecord,
  BidderRecord,
  CampaignRecord,
  CreativeRecord,
  LineItemRecord,
  PlacementRecord,
  PublisherRecord,
} from '../model/records.ts';

/** What an entity has of its row and not of its record. */
export type RowKey = Pick<LineItem, 'id' | 'edition'>;

/**
 * Turns checked records into entities. Defaults of meaning (priority 2, a frequency window of a
 * day) are applied here, once.
 */
export const toPublisher = (id: number, record: PublisherRecord, apiKeyHash: string): Publisher => ({
  id,
  name: record.name,
  domain: record.domain,
  origins: new Set(record.origins),
  privacy: {
    consentWhenSilent: record.consent_when_silent,
    usOptOutEndsCaps: record.us_opt_out_ends_frequency_caps,
    capsWithoutUserId: record.frequency_caps_without_user_id,
  },
  blocked: blockList(record, record.acat),
  blockedAdvertisers: advertiserBlock(record),
  archived: record.archived,
  apiKeyHash,
});

export const toPlacement = (record: PlacementRecord): Placement => ({
  id: record.id,
  publisherId: record.publisher_id,
  width: record.width,
  height: record.height,
  formats: record.formats,
  floorMicros: microsOrNull(record.floor) ?? 0,
  blockedAdvertisers: advertiserBlock(record),
  archived: record.archived,
});

const advertiserBlock = ({
  blocked_advertiser_ids: ids,
  blocked_advertiser_labels: labels,
}: Pick<PlacementRecord, 'blocked_advertiser_ids' | 'blocked_advertiser_labels'>): AdvertiserBlock => ({
  ids,
  labels: labels.map(lowerCase),
});

export const toAdvertiser = (id: number, record: AdvertiserRecord): Advertiser => ({
  id,
  name: record.name,
  domain: record.domain,
  paidBy: record.paid_by,
  categories: record.categories,
  traits: {
    labels: record.labels.map(lowerCase),
    exclusive: record.exclusive,
    exclusionLabels: record.exclusion_labels.map(lowerCase),
  },
  archived: record.archived,
});

/** `headers`: the sealed values, which the record has marks for. */
export const toBidder = (id: number, record: BidderRecord, headers: Readonly<Record<string, string>>): Bidder => ({
  id,
  endpoint: record.endpoint,
  headers,
  params: record.params,
  gzip: record.gzip,
  gvlId: record.gvl_id,
  seats: record.seats,
  currency: record.currency,
  bidAdjustment: record.bid_adjustment,
  timeoutShare: record.timeout_share,
  noticeHosts: record.notice_hosts.map(lowerCase),
  schain: sellerNode(record),
  blocked: blockList(record, []),
  archived: record.archived,
});

const sellerNode = ({ schain_asi: asi, schain_sid: sid, schain_name: name, schain_domain: domain }: BidderRecord): SellerNode | null =>
  asi === null || sid === null ? null : { asi, sid, name, domain };

const blockList = (
  { bcat, cattax, badv, battr }: Pick<BidderRecord, 'bcat' | 'cattax' | 'badv' | 'battr'>,
  acat: readonly string[],
): BlockList => ({
  bcat,
  acat,
  cattax,
  badv: new Set(badv.map(lowerCase)),
  battr,
});

const lowerCase = (text: string): string => text.toLowerCase();

export const toCampaign = (key: RowKey, record: CampaignRecord): Campaign => {
  const ownStop = record.archived ? 'campaignArchived' : record.active ? null : 'campaignPaused';
  return {
    ...key,
    publisherId: record.publisher_id,
    advertiserId: record.advertiser_id,
    traits: NO_TRAITS,
    name: record.name,
    flight: flightOf(record),
    budgetMicros: microsOrNull(record.budget),
    stop: ownStop,
    ownStop,
  };
};

export const toLineItem = (key: RowKey, record: LineItemRecord, publisherId: number): LineItem => {
  const ownStop = record.archived ? 'lineItemArchived' : record.active ? null : 'lineItemPaused';
  return {
    ...key,
    campaignId: record.campaign_id,
    publisherId,
    name: record.name,
    type: record.type,
    stop: ownStop,
    ownStop,
    flight: flightOf(record),
    budgetType: record.budget_type,
    cpmMicros: microsOrNull(record.cpm),
    cpcMicros: microsOrNull(record.cpc),
    budgetMicros: microsOrNull(record.budget),
    priority: record.priority ?? 2,
    rotation: record.rotation,
    pacing: record.pacing,
    dailyImpressionCap: record.daily_impression_cap,
    dailySpendCapMicros: microsOrNull(record.daily_spend_cap),
    goals: goalsOf(record),
    frequencyCap:
      record.frequency_cap === null
        ? null
        : { places: record.frequency_cap, windowMs: (record.frequency_window ?? SECONDS_PER_DAY) * 1000 },
    rateLimit:
      record.rate_limit === null
        ? null
        : { perSecond: record.rate_limit, burst: record.rate_burst ?? Math.max(1, Math.ceil(record.rate_limit)) },
    targeting: targetingRules(record.targeting),
    bidderId: record.type === 'programmatic' ? record.bidder_id : null,
    endpoint: record.type === 'programmatic' ? record.endpoint : null,
    gvlId: record.type === 'programmatic' ? record.gvl_id : null,
    noticeHosts: record.notice_hosts.map(lowerCase),
    floorMicros: record.type === 'programmatic' ? (microsOrNull(record.floor) ?? 0) : 0,
    valueCpmMicros: record.type === 'direct' ? microsOrNull(record.value_cpm) : null,
    dealId: record.deal_id,
  };
};

const STOP_OF_STATUS = {
  draft: 'creativeDraft',
  pending: 'creativePending',
  approved: null,
  rejected: 'creativeRejected',
} as const satisfies Record<CreativeStatus, Stop | null>;

/** Undefined when the content cannot be read, which the check of a record rules out. */
export const toCreative = (key: RowKey, record: CreativeRecord, blocked: boolean): Creative | undefined => {
  const parsed = parseCreativeContent(record.format, record.content);
  if ('fault' in parsed) return undefined;
  return {
    ...key,
    placementIds: record.placement_ids,
    lineItemId: record.line_item_id,
    content: parsed.content,
    advertiserDomain: record.advertiser_domain,
    hasOwnDomain: record.advertiser_domain !== null,
    categories: [],
    disclosure: [],
    width: record.width,
    height: record.height,
    clickUrl: record.click_url,
    weight: record.weight,
    stop: record.archived ? 'creativeArchived' : blocked ? 'creativeBlocked' : STOP_OF_STATUS[record.status],
  };
};

const microsOrNull = (usd: number | null): number | null => (usd === null ? null : microsFromUsd(usd));
