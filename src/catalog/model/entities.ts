import type { AdvertiserBlock, AdvertiserTraits } from './advertiser.ts';
import type { BlockList } from './block-list.ts';
import type { SellerNode } from './seller-node.ts';
import type { Goals } from './goals.ts';
import type { Rotation } from './rotations.ts';
import type { Stop } from './stops.ts';
import type { TargetingRules } from '../../targeting/targeting-rules.ts';

/**
 * Entities of the snapshot, immutable. Rows become entities once, at load, and request handling sees
 * no other form. Most are views, whose fields are read from shared memory when they are used and are
 * not own properties: copy one with `withoutFrequencyCap` or by naming its fields. Units: money in
 * integer micro-dollars (1 USD = 1,000,000), a CPM in micros per thousand impressions, times in epoch
 * milliseconds (UTC).
 */

/** Half-open: live from `startMs` until just before `endMs`. */
export interface Flight {
  readonly startMs: number;
  readonly endMs: number;
}

export const CREATIVE_FORMATS = ['html', 'banner', 'native'] as const;
export type CreativeFormat = (typeof CREATIVE_FORMATS)[number];

export const BUDGET_TYPES = ['CPM', 'VCPM', 'CPC', 'Flat'] as const;
export type BudgetType = (typeof BUDGET_TYPES)[number];

export const PACINGS = ['ASAP', 'Even', 'PID'] as const;
export type Pacing = (typeof PACINGS)[number];

export const LINE_ITEM_TYPES = ['direct', 'programmatic'] as const;
export type LineItemType = (typeof LINE_ITEM_TYPES)[number];

export const DEVICES = ['mobile', 'desktop', 'tablet'] as const;
export type Device = (typeof DEVICES)[number];

/** 1 ranks first. A line item without a priority has 2. */
export type Priority = 1 | 2 | 3;

/** What a request without consent signals means; `by_country`: a refusal in countries under the GDPR. */
export const CONSENT_WHEN_SILENT = ['by_country', 'allow', 'deny'] as const;
export type ConsentWhenSilent = (typeof CONSENT_WHEN_SILENT)[number];

/**
 * Frequency-capped line items when the user id may not be used. `contextual`: they do not serve;
 * `session`: each replica counts what it served in its memory, and stores nothing.
 */
export const CAPS_WITHOUT_USER_ID = ['contextual', 'session'] as const;
export type CapsWithoutUserId = (typeof CAPS_WITHOUT_USER_ID)[number];

/** Only an approved creative serves. */
export const CREATIVE_STATUSES = ['draft', 'pending', 'approved', 'rejected'] as const;
export type CreativeStatus = (typeof CREATIVE_STATUSES)[number];

/** `required`: a creative that is new, or shows something else than before, waits for approval. */
export const CREATIVE_APPROVALS = ['automatic', 'required'] as const;
export type CreativeApproval = (typeof CREATIVE_APPROVALS)[number];

/** A publisher's choices where the law leaves them to it. */
export interface PublisherPrivacy {
  readonly consentWhenSilent: ConsentWhenSilent;
  /** Whether an opt-out under a US law ends the publisher's own frequency capping. */
  readonly usOptOutEndsCaps: boolean;
  readonly capsWithoutUserId: CapsWithoutUserId;
}

export interface Publisher {
  readonly id: number;
  readonly name: string;
  readonly domain: string;
  /** See `acceptsOrigin`. */
  readonly origins: ReadonlySet<string>;
  readonly privacy: PublisherPrivacy;
  readonly blocked: BlockList;
  readonly blockedAdvertisers: AdvertiserBlock;
  readonly archived: boolean;
  /** Lower-case hex SHA-256 of the API key; the key itself is never stored. */
  readonly apiKeyHash: string;
}

export interface Placement {
  readonly id: string;
  /** null: open to every publisher. */
  readonly publisherId: number | null;
  readonly width: number;
  readonly height: number;
  readonly formats: readonly CreativeFormat[];
  /** The lowest bid of a bidder, micros per thousand impressions; 0: none. */
  readonly floorMicros: number;
  readonly blockedAdvertisers: AdvertiserBlock;
  readonly archived: boolean;
}

/** Programmatic demand: an external OpenRTB endpoint, and how it is called. */
export interface Bidder {
  /** 0: the short form, the endpoint of a line item. */
  readonly id: number;
  readonly endpoint: string;
  /** Values sealed for `headerPurpose`, by name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Becomes `imp.ext`. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Whether it takes compressed requests. */
  readonly gzip: boolean;
  /** Its id on the IAB Global Vendor List; null: it is not on the list. */
  readonly gvlId: number | null;
  /** Buyer seats whose bids are accepted; empty: all. */
  readonly seats: readonly string[];
  /** ISO 4217: of its floors, and of its bids unless they say otherwise. */
  readonly currency: string;
  /** What is left of a bid for the publisher, as a factor. */
  readonly bidAdjustment: number;
  /** Of the time that an ad request leaves for bidders; above 0, up to 1. */
  readonly timeoutShare: number;
  /** Hosts to which its notices may go, besides the endpoint's own. Lower case. */
  readonly noticeHosts: readonly string[];
  readonly schain: SellerNode | null;
  readonly blocked: BlockList;
  readonly archived: boolean;
}

export interface Campaign {
  readonly id: number;
  /** Changes with the row: equal ids and editions mean equal campaigns, except for `stop` and `traits`. */
  readonly edition: number;
  readonly publisherId: number;
  /** null: not known. */
  readonly advertiserId: number | null;
  /** Of the advertiser. */
  readonly traits: AdvertiserTraits;
  readonly name: string;
  readonly flight: Flight;
  /** Bounds the sum of its line items; null: no bound. */
  readonly budgetMicros: number | null;
  /** Its own, or that of its publisher or advertiser; null: it may serve. */
  readonly stop: Stop | null;
  readonly ownStop: Stop | null;
}

export interface FrequencyCap {
  readonly places: number;
  readonly windowMs: number;
}

/** A token bucket: `perSecond` refills it, `burst` is its depth. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

export interface LineItem {
  readonly id: number;
  /** Changes with the row: equal ids and editions mean equal line items of equal campaigns, except for `stop`. */
  readonly edition: number;
  readonly campaignId: number;
  readonly publisherId: number;
  readonly name: string;
  readonly type: LineItemType;
  /** Its own, or that of its bidder; null: it may serve. */
  readonly stop: Stop | null;
  readonly ownStop: Stop | null;
  readonly flight: Flight;
  readonly budgetType: BudgetType;
  readonly cpmMicros: number | null;
  readonly cpcMicros: number | null;
  readonly budgetMicros: number | null;
  readonly priority: Priority;
  readonly rotation: Rotation;
  readonly pacing: Pacing;
  readonly dailyImpressionCap: number | null;
  readonly dailySpendCapMicros: number | null;
  readonly goals: Goals;
  readonly frequencyCap: FrequencyCap | null;
  readonly rateLimit: RateLimit | null;
  readonly targeting: TargetingRules;
  /** The bidder of a programmatic line item; null: a direct one, or the short form: */
  readonly bidderId: number | null;
  /** An endpoint in place of a bidder, with its vendor id and notice hosts (`bidderOf`). */
  readonly endpoint: string | null;
  readonly gvlId: number | null;
  readonly noticeHosts: readonly string[];
  /** The lowest bid for a programmatic line item, micros per thousand impressions; 0: none. */
  readonly floorMicros: number;
  /** The price at which a direct line item enters auctions, micros per thousand impressions; null: its eCPM. */
  readonly valueCpmMicros: number | null;
  /** Named by its bids in auctions; of a programmatic line item, the deal under which its bidder bids. null: none. */
  readonly dealId: string | null;
}

/** A creative's content, parsed by its format. */
export type CreativeContent =
  | { readonly format: 'html'; readonly markup: string }
  | { readonly format: 'banner'; readonly banner: BannerAssets }
  | { readonly format: 'native'; readonly assets: Readonly<Record<string, unknown>> };

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

export interface Creative {
  readonly id: number;
  /** Changes with the row and with what is its advertiser's: equal ids and editions mean equal creatives. */
  readonly edition: number;
  /** At least one; the load may not know all of them. */
  readonly placementIds: readonly string[];
  readonly lineItemId: number;
  readonly content: CreativeContent;
  /** The creative's own, or its advertiser's. */
  readonly advertiserDomain: string | null;
  readonly hasOwnDomain: boolean;
  /** Its advertiser's, of the IAB Content Taxonomy 3.x; empty: not known. */
  readonly categories: readonly string[];
  /** For whom it is shown, and who pays, by name (DSA, article 26); empty: not known. */
  readonly disclosure: readonly string[];
  /** Size in CSS pixels; null: fits every impression. */
  readonly width: number | null;
  readonly height: number | null;
  readonly clickUrl: string | null;
  /** Its share of its line item's impressions, relative to its others, where the rotation is weighted. */
  readonly weight: number;
  /** null: it may serve. */
  readonly stop: Stop | null;
}

/** A creative with the line item and the campaign that it belongs to. */
export interface Booking {
  readonly creative: Creative;
  readonly lineItem: LineItem;
  readonly campaign: Campaign;
}
