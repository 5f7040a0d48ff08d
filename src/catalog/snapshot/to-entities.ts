import { targetingRules } from '../../targeting/targeting-rules.ts';
import { parseCreativeContent } from '../checks/parse-content.ts';
import { ADVERTISER, type AdvertiserRecord } from '../entities/advertiser.ts';
import { BIDDER, type BidderRecord } from '../entities/bidder.ts';
import { CAMPAIGN, type CampaignRecord } from '../entities/campaign.ts';
import { CREATIVE, type CreativeRecord } from '../entities/creative.ts';
import { LINE_ITEM, type LineItemRecord } from '../entities/line-item.ts';
import { NAMED_TARGETING, type NamedTargetingRecord } from '../entities/named-targeting.ts';
import { PLACEMENT, type PlacementRecord } from '../entities/placement.ts';
import { PUBLISHER, type PublisherRecord } from '../entities/publisher.ts';
import { NO_TRAITS, type Advertiser, type AdvertiserBlock } from '../model/advertiser.ts';
import type { BlockList } from '../model/block-list.ts';
import type { CreativeStatus } from '../model/choices.ts';
import {
  NO_SALES_RULES,
  type Bidder,
  type Campaign,
  type Creative,
  type LineItem,
  type NamedTargeting,
  type Placement,
  type Publisher,
} from '../model/entities.ts';
import { flightOf } from '../model/flight-dates.ts';
import { frequencyCapsOf, NO_SHARED_COUNTS } from '../model/frequency-caps.ts';
import { goalsOf } from '../model/goals.ts';
import { scheduleOf } from '../model/schedule.ts';
import type { SellerNode } from '../model/seller-node.ts';
import type { Stop } from '../model/stops.ts';
import { membersOf } from './members-of.ts';

/** What an entity has of its row and not of its record. */
export type RowKey = Pick<LineItem, 'id' | 'edition'>;

const ofPublisher = membersOf(PUBLISHER);
const ofPlacement = membersOf(PLACEMENT);
const ofAdvertiser = membersOf(ADVERTISER);
const ofBidder = membersOf(BIDDER);
const ofCampaign = membersOf(CAMPAIGN);
const ofTargeting = membersOf(NAMED_TARGETING);
const ofLineItem = membersOf(LINE_ITEM);
const ofCreative = membersOf(CREATIVE);

/**
 * Turns checked records into entities: the members that are one field each, and those that combine
 * several. Defaults of meaning (a frequency window of a day) are applied here, once.
 */
export const toPublisher = (id: number, record: PublisherRecord, apiKeyHash: string): Publisher => ({
  ...ofPublisher(record),
  id,
  origins: new Set(record.origins),
  privacy: {
    consentWhenSilent: record.consent_when_silent,
    usOptOutEndsCaps: record.us_opt_out_ends_frequency_caps,
    capsWithoutUserId: record.frequency_caps_without_user_id,
  },
  blocked: blockList(record, record.acat),
  blockedAdvertisers: advertiserBlock(record),
  apiKeyHash,
});

export const toPlacement = (record: PlacementRecord): Placement => ({
  ...ofPlacement(record),
  blockedAdvertisers: advertiserBlock(record),
});

const advertiserBlock = ({
  blocked_advertiser_ids: ids,
  blocked_advertiser_labels: labels,
}: Pick<PlacementRecord, 'blocked_advertiser_ids' | 'blocked_advertiser_labels'>): AdvertiserBlock => ({
  ids,
  labels: labels.map(lowerCase),
});

export const toAdvertiser = (id: number, record: AdvertiserRecord): Advertiser => ({
  ...ofAdvertiser(record),
  id,
  traits: {
    labels: record.labels.map(lowerCase),
    exclusive: record.exclusive,
    exclusionLabels: record.exclusion_labels.map(lowerCase),
  },
});

/** `headers`: the sealed values, which the record has marks for. */
export const toBidder = (id: number, record: BidderRecord, headers: Readonly<Record<string, string>>): Bidder => ({
  ...ofBidder(record),
  id,
  headers,
  noticeHosts: record.notice_hosts.map(lowerCase),
  schain: sellerNode(record),
  blocked: blockList(record, []),
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
    ...ofCampaign(record),
    ...key,
    currency: '',
    traits: NO_TRAITS,
    counted: NO_SHARED_COUNTS,
    flight: flightOf(record),
    stop: ownStop,
    ownStop,
  };
};

export const toNamedTargeting = (id: number, record: NamedTargetingRecord): NamedTargeting => ({
  ...ofTargeting(record),
  id,
  targeting: targetingRules(record.targeting),
});

export const toLineItem = (key: RowKey, record: LineItemRecord, publisherId: number): LineItem => {
  const ownStop = record.archived ? 'lineItemArchived' : record.active ? null : 'lineItemPaused';
  return {
    ...ofLineItem(record),
    ...key,
    publisherId,
    stop: ownStop,
    ownStop,
    flight: flightOf(record),
    goals: goalsOf(record),
    frequencyCaps: frequencyCapsOf(record),
    rateLimit:
      record.rate_limit === null
        ? null
        : { perSecond: record.rate_limit, burst: record.rate_burst ?? Math.max(1, Math.ceil(record.rate_limit)) },
    targeting: targetingRules(record.targeting),
    targetingId: record.targeting_id ?? 0,
    sales: {
      ...NO_SALES_RULES,
      schedule: scheduleOf(record.schedule, record.schedule_zone),
      shareOfVoice: record.share_of_voice,
      roadblock: record.roadblock,
    },
    noticeHosts: record.notice_hosts.map(lowerCase),
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
    ...ofCreative(record),
    ...key,
    content: parsed.content,
    hasOwnDomain: record.advertiser_domain !== null,
    categories: [],
    disclosure: [],
    stop: record.archived ? 'creativeArchived' : blocked ? 'creativeBlocked' : STOP_OF_STATUS[record.status],
  };
};
