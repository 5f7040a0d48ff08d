import type { REVIVE_TABLES, ReviveTable } from '../files/revive-tables.ts';

/** A row of Revive Adserver 5 and 6, as far as it is read. Columns may be null where `Nullable` names them. */
export type RowOf<T extends ReviveTable, Nullable = never> = {
  readonly [Column in (typeof REVIVE_TABLES)[T]['texts'][number]]: string | (Column extends Nullable ? null : never);
} & {
  readonly [Column in (typeof REVIVE_TABLES)[T]['numbers'][number]]: number | (Column extends Nullable ? null : never);
};

export type AgencyRow = RowOf<'agency', 'account_id'>;
export type AffiliateRow = RowOf<'affiliates', 'website'>;
export type ClientRow = RowOf<'clients', 'contact' | 'email'>;
/** `delivery`: what is shown: 0 banners, 3 text, 4 mails. */
export type ZoneRow = RowOf<'zones', 'chain' | 'prepend' | 'append'>;
/** Times are UTC, `2026-01-31 22:59:59`. */
export type CampaignRow = RowOf<'campaigns', 'companion' | 'revenue' | 'revenue_type' | 'activate_time' | 'expire_time'>;
/** `storagetype`: `sql`, `web`, `url`, `html`, `txt`. */
export type BannerRow = RowOf<'banners', 'prepend' | 'append' | 'ext_bannertype' | 'compiledlimitation'>;
/** Impressions per visitor in all and in a session, and seconds until they are counted anew. */
export type Capping = Pick<BannerRow, 'block' | 'capping' | 'session_capping'>;
/** A delivery rule of a banner or a channel. */
export type RuleRow = Pick<RowOf<'acls'>, 'logical' | 'type' | 'comparison' | 'data'> & {
  /** Of the banner or channel. */
  readonly owner: number;
};
export type LinkRow = RowOf<'ad_zone_assoc'>;

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
