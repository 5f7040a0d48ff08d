import type { BIDDER } from '../entities/bidder.ts';
import type { CAMPAIGN } from '../entities/campaign.ts';
import type { CREATIVE } from '../entities/creative.ts';
import type { MembersOf } from '../entities/field.ts';
import type { LINE_ITEM } from '../entities/line-item.ts';
import type { NAMED_TARGETING } from '../entities/named-targeting.ts';
import type { PLACEMENT } from '../entities/placement.ts';
import type { PUBLISHER } from '../entities/publisher.ts';
import type { TargetingRules } from '../../targeting/targeting-rules.ts';
import type { AdvertiserBlock, AdvertiserTraits } from './advertiser.ts';
import type { BlockList } from './block-list.ts';
import type { CapsWithoutUserId, ConsentWhenSilent } from './choices.ts';
import type { FrequencyCap, SharedCount } from './frequency-caps.ts';
import type { Goals } from './goals.ts';
import type { Schedule } from './schedule.ts';
import type { SellerNode } from './seller-node.ts';
import type { Stop } from './stops.ts';
import type { VideoAd } from './video-ad.ts';

/**
 * Entities of the snapshot, immutable. Rows become entities once, at load, and request handling sees
 * no other form. A member that is one field of the record comes from the definition of that field
 * (catalog/entities); the others are here. Most entities are views, whose members are read from
 * shared memory when they are used and are not own properties: copy one with `changedLineItem`
 * or by naming its members. Units: money in integer micros (millionths of a unit), a CPM in
 * micros per thousand impressions, all in the currency of the publisher; times in epoch milliseconds (UTC).
 */

/** Half-open: live from `startMs` until just before `endMs`. */
export interface Flight {
  readonly startMs: number;
  readonly endMs: number;
}

/** While both run. */
export const commonFlight = (own: Flight, around: Flight): Flight => ({
  startMs: Math.max(own.startMs, around.startMs),
  endMs: Math.min(own.endMs, around.endMs),
});

/** A publisher's choices where the law leaves them to it. */
export interface PublisherPrivacy {
  readonly consentWhenSilent: ConsentWhenSilent;
  /** Whether an opt-out under a US law ends the publisher's own frequency capping. */
  readonly usOptOutEndsCaps: boolean;
  readonly capsWithoutUserId: CapsWithoutUserId;
}

export interface Publisher extends MembersOf<(typeof PUBLISHER)['fields']> {
  /** See `acceptsOrigin`. */
  readonly origins: ReadonlySet<string>;
  readonly privacy: PublisherPrivacy;
  readonly blocked: BlockList;
  readonly blockedAdvertisers: AdvertiserBlock;
  /** Lower-case hex SHA-256 of the API key; the key itself is never stored. */
  readonly apiKeyHash: string;
}

export interface Placement extends MembersOf<(typeof PLACEMENT)['fields']> {
  readonly blockedAdvertisers: AdvertiserBlock;
}

/** Programmatic demand: an external OpenRTB endpoint, and how it is called. id 0: the short form, the endpoint of a line item. */
export interface Bidder extends MembersOf<(typeof BIDDER)['fields']> {
  /** Values sealed for `headerPurpose`, by name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly schain: SellerNode | null;
  readonly blocked: BlockList;
}

export interface Campaign extends MembersOf<(typeof CAMPAIGN)['fields']> {
  /** Changes with the row: equal ids and editions mean equal campaigns, except for `stop`, `traits` and `currency`. */
  readonly edition: number;
  /** Of the publisher: that of its money. */
  readonly currency: string;
  /** Of the advertiser. */
  readonly traits: AdvertiserTraits;
  readonly flight: Flight;
  /** What caps of its line items count of it, and those of its advertiser of all campaigns. */
  readonly counted: readonly SharedCount[];
  /** Its own, or that of its publisher or advertiser; null: it may serve. */
  readonly stop: Stop | null;
  readonly ownStop: Stop | null;
}

/** A token bucket: `perSecond` refills it, `burst` is its depth. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** Rules that several line items share. */
export interface NamedTargeting extends MembersOf<(typeof NAMED_TARGETING)['fields']> {
  readonly targeting: TargetingRules;
}

/** What few line items have besides their own rules: the same object for all without any of it. */
export interface SalesRules {
  /** Of the targeting that it names. */
  readonly targeting: TargetingRules;
  /** null: at all hours. */
  readonly schedule: Schedule | null;
  /** Per cent of the requests that it could serve; null: it competes for all of them. */
  readonly shareOfVoice: number | null;
  /** Whether it is shown on all its placements of a page, or on none. */
  readonly roadblock: boolean;
  /** It is guaranteed, and bidders may have its ads while it is ahead of its goal (decision/opportunity-cost.ts). */
  readonly yields: boolean;
}
export const NO_SALES_RULES: SalesRules = { targeting: [], schedule: null, shareOfVoice: null, roadblock: false, yields: false };

export interface LineItem extends MembersOf<(typeof LINE_ITEM)['fields']> {
  /** Changes with the row: equal ids and editions mean equal line items of equal campaigns, except for `stop`. */
  readonly edition: number;
  readonly publisherId: number;
  /** Its own, or that of its bidder; null: it may serve. */
  readonly stop: Stop | null;
  readonly ownStop: Stop | null;
  readonly flight: Flight;
  readonly goals: Goals;
  readonly frequencyCaps: readonly FrequencyCap[];
  readonly rateLimit: RateLimit | null;
  /** Its own. */
  readonly targeting: TargetingRules;
  /** 0: it names no targeting. */
  readonly targetingId: number;
  readonly sales: SalesRules;
}

/** Every rule that a request must meet: its own, and those of the targeting that it names. */
export const rulesOf = ({ targeting, sales }: Pick<LineItem, 'targeting' | 'sales'>): TargetingRules =>
  sales.targeting.length === 0 ? targeting : [...targeting, ...sales.targeting];

/** A creative's content, parsed by its format. */
export type CreativeContent =
  | { readonly format: 'html'; readonly markup: string }
  | { readonly format: 'banner'; readonly banner: BannerAssets }
  | { readonly format: 'native'; readonly assets: Readonly<Record<string, unknown>> }
  | VideoContent;

/** What players play. */
export interface VideoContent {
  readonly format: 'video' | 'audio';
  readonly video: VideoAd;
}

export const isVideo = (content: CreativeContent): content is VideoContent => content.format === 'video' || content.format === 'audio';

export interface BannerAssets {
  readonly image: string;
  readonly alt: string;
  readonly images: readonly BannerImage[];
}

export interface BannerImage {
  readonly url: string;
  readonly width: number;
  readonly height: number;
}

/** Its placements may not all be known to the load; its `advertiserDomain` is its own, or its advertiser's. */
export interface Creative extends MembersOf<(typeof CREATIVE)['fields']> {
  /** Changes with the row and with what is its advertiser's: equal ids and editions mean equal creatives. */
  readonly edition: number;
  readonly content: CreativeContent;
  readonly hasOwnDomain: boolean;
  /** Its advertiser's, of the IAB Content Taxonomy 3.x; empty: not known. */
  readonly categories: readonly string[];
  /** For whom it is shown, and who pays, by name (DSA, article 26); empty: not known. */
  readonly disclosure: readonly string[];
  /** null: it may serve. */
  readonly stop: Stop | null;
}

/** A creative with the line item and the campaign that it belongs to. */
export interface Booking {
  readonly creative: Creative;
  readonly lineItem: LineItem;
  readonly campaign: Campaign;
}
