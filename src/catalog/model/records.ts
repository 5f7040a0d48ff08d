import type { TargetingFields } from '../../targeting/targeting-rules.ts';
import type {
  BudgetType,
  CapsWithoutUserId,
  ConsentWhenSilent,
  CreativeApproval,
  CreativeFormat,
  CreativeStatus,
  Device,
  LineItemType,
  Pacing,
} from './entities.ts';
import type { Rotation } from './rotations.ts';

/**
 * The catalog in the JSON of the trafficking API: snake_case, money in decimal USD, dates as RFC
 * 3339 date or date-time, null for a field that is not set. A record of these types has been
 * checked and has its defaults.
 */
export interface PublisherRecord {
  readonly id?: number;
  readonly name: string;
  readonly domain: string;
  /** Web origins whose pages may use the key; empty: any. */
  readonly origins: readonly string[];
  readonly consent_when_silent: ConsentWhenSilent;
  readonly us_opt_out_ends_frequency_caps: boolean;
  readonly frequency_caps_without_user_id: CapsWithoutUserId;
  readonly badv: readonly string[];
  readonly bcat: readonly string[];
  readonly acat: readonly string[];
  readonly cattax: number;
  readonly battr: readonly number[];
  readonly blocked_advertiser_ids: readonly number[];
  readonly blocked_advertiser_labels: readonly string[];
  readonly creative_approval: CreativeApproval;
  /** IANA name: whose days and hours its reports have. */
  readonly time_zone: string;
  /** ISO 4217: in which its statements are. */
  readonly currency: string;
  readonly archived: boolean;
}

export interface PlacementRecord {
  readonly id: string;
  /** null: open to every publisher. */
  readonly publisher_id: number | null;
  readonly width: number;
  readonly height: number;
  readonly formats: readonly CreativeFormat[];
  /** USD per thousand impressions. */
  readonly floor: number | null;
  readonly blocked_advertiser_ids: readonly number[];
  readonly blocked_advertiser_labels: readonly string[];
  readonly archived: boolean;
}

export interface AdvertiserRecord {
  readonly id?: number;
  readonly name: string;
  readonly domain: string | null;
  readonly paid_by: string | null;
  /** Ids of the IAB Content Taxonomy 3.x. */
  readonly categories: readonly string[];
  readonly labels: readonly string[];
  readonly exclusive: boolean;
  readonly exclusion_labels: readonly string[];
  readonly contact: string | null;
  readonly archived: boolean;
}

export interface BidderRecord {
  readonly id?: number;
  readonly name: string;
  readonly endpoint: string;
  /** Values as they are sent; an answer has a mark (base/secret-box.ts) in place of each. */
  readonly headers: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, unknown>>;
  readonly gzip: boolean;
  readonly gvl_id: number | null;
  readonly seats: readonly string[];
  readonly currency: string;
  readonly bid_adjustment: number;
  readonly timeout_share: number;
  readonly notice_hosts: readonly string[];
  readonly schain_asi: string | null;
  readonly schain_sid: string | null;
  readonly schain_name: string | null;
  readonly schain_domain: string | null;
  /** Lines of records (model/ads-txt-record.ts). */
  readonly ads_txt: readonly string[];
  readonly bcat: readonly string[];
  readonly cattax: number;
  readonly badv: readonly string[];
  readonly battr: readonly number[];
  readonly archived: boolean;
}

export interface CampaignRecord {
  readonly id?: number;
  readonly publisher_id: number;
  readonly advertiser_id: number | null;
  readonly name: string;
  readonly active: boolean;
  readonly start_date: string;
  readonly end_date: string;
  readonly budget: number | null;
  readonly archived: boolean;
}

/** Countries are ISO 3166-1 alpha-2 codes in upper case. */
export interface TargetingRecord extends TargetingFields {
  readonly devices?: readonly Device[];
}

export interface LineItemRecord {
  readonly id?: number;
  readonly campaign_id: number;
  readonly name: string;
  readonly type: LineItemType;
  readonly active: boolean;
  readonly start_date: string;
  readonly end_date: string;
  readonly budget_type: BudgetType;
  readonly cpm: number | null;
  readonly cpc: number | null;
  readonly budget: number | null;
  readonly priority: 1 | 2 | 3 | null;
  readonly rotation: Rotation;
  readonly pacing: Pacing;
  readonly daily_impression_cap: number | null;
  readonly daily_spend_cap: number | null;
  readonly goal_impressions: number | null;
  readonly goal_clicks: number | null;
  /** Percent. */
  readonly frontload: number;
  readonly frequency_cap: number | null;
  /** Seconds. */
  readonly frequency_window: number | null;
  /** Serves per second. */
  readonly rate_limit: number | null;
  readonly rate_burst: number | null;
  readonly targeting: TargetingRecord;
  readonly bidder_id: number | null;
  readonly endpoint: string | null;
  readonly gvl_id: number | null;
  readonly notice_hosts: readonly string[];
  readonly floor: number | null;
  readonly value_cpm: number | null;
  readonly deal_id: string | null;
  readonly archived: boolean;
}

export interface CreativeRecord {
  readonly id?: number;
  /** '': none. */
  readonly name: string;
  /** The first of `placement_ids`. */
  readonly placement_id: string;
  readonly placement_ids: readonly string[];
  readonly line_item_id: number;
  readonly format: CreativeFormat;
  readonly content: string;
  readonly advertiser_domain: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly click_url: string | null;
  readonly status: CreativeStatus;
  readonly weight: number;
  readonly archived: boolean;
}

/** A record whose fields have not been checked. */
export type Loose<T> = { readonly [K in keyof Required<T>]: unknown };
