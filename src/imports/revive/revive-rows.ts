/** Rows of Revive Adserver 5 and 6, as far as they are read. */
export interface AgencyRow {
  readonly agencyid: number;
  readonly name: string;
  readonly account_id: number | null;
}
export interface AffiliateRow {
  readonly affiliateid: number;
  readonly name: string;
  readonly website: string | null;
}
export interface ClientRow {
  readonly clientid: number;
  readonly clientname: string;
  readonly contact: string | null;
  readonly email: string | null;
}
export interface ZoneRow extends Capping {
  readonly zoneid: number;
  readonly affiliateid: number;
  readonly zonename: string;
  /** What is shown: 0 banners, 3 text, 4 mails. */
  readonly delivery: number;
  readonly width: number;
  readonly height: number;
  readonly chain: string | null;
  readonly prepend: string | null;
  readonly append: string | null;
}
export interface CampaignRow extends Capping {
  readonly campaignid: number;
  readonly campaignname: string;
  readonly clientid: number;
  readonly views: number;
  readonly clicks: number;
  readonly conversions: number;
  readonly priority: number;
  readonly weight: number;
  readonly target_impression: number;
  readonly target_click: number;
  readonly target_conversion: number;
  readonly companion: number | null;
  readonly revenue: string | number | null;
  readonly revenue_type: number | null;
  readonly status: number;
  /** UTC, `2026-01-31 22:59:59`. */
  readonly activate_time: string | null;
  readonly expire_time: string | null;
  readonly show_capped_no_cookie: number;
}
export interface BannerRow extends Capping {
  readonly bannerid: number;
  readonly campaignid: number;
  readonly contenttype: string;
  /** `sql`, `web`, `url`, `html`, `txt`. */
  readonly storagetype: string;
  readonly filename: string;
  readonly imageurl: string;
  readonly htmltemplate: string;
  readonly width: number;
  readonly height: number;
  readonly weight: number;
  readonly url: string;
  readonly alt: string;
  readonly bannertext: string;
  readonly description: string;
  readonly prepend: string | null;
  readonly append: string | null;
  readonly status: number;
  readonly ext_bannertype: string | null;
  readonly compiledlimitation: string | null;
}
/** Impressions per visitor in all and in a session, and seconds until they are counted anew. */
export interface Capping {
  readonly block: number;
  readonly capping: number;
  readonly session_capping: number;
}
/** A delivery rule of a banner or a channel. */
export interface RuleRow {
  /** Of the banner or channel. */
  readonly owner: number;
  readonly logical: string;
  readonly type: string;
  readonly comparison: string;
  readonly data: string;
}
export interface LinkRow {
  readonly ad_id: number;
  readonly zone_id: number;
}
/** What a campaign has delivered in all. */
export interface Delivered {
  readonly impressions: number;
  readonly clicks: number;
}

/** What a manager account of Revive has. */
export interface ReviveRows {
  readonly agency: AgencyRow;
  readonly affiliates: readonly AffiliateRow[];
  readonly clients: readonly ClientRow[];
  readonly zones: readonly ZoneRow[];
  readonly campaigns: readonly CampaignRow[];
  readonly banners: readonly BannerRow[];
  readonly bannerRules: readonly RuleRow[];
  readonly channelRules: readonly RuleRow[];
  readonly links: readonly LinkRow[];
  /** The IANA name that the account chose; undefined: none. */
  readonly timeZone: string | undefined;
}
