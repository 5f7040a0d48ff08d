import type { CatalogRow, CatalogTable } from '../model/catalog-reading.ts';
import { ADVERTISER_COLUMNS } from './advertiser-rows.ts';
import { BIDDER_COLUMNS } from './bidder-rows.ts';
import { parseEndDate, parseStartDate, showEndDate, showStartDate } from '../model/flight-dates.ts';
import { microsFromUsd, usdFromMicros } from '../model/money.ts';
import type { CampaignRecord, CreativeRecord, LineItemRecord, Loose, PlacementRecord, PublisherRecord } from '../model/records.ts';

/** Columns of a publisher whose values are JSON. */
const BLOCK_COLUMNS = ['badv', 'bcat', 'acat', 'battr'] as const;
type BlockColumn = (typeof BLOCK_COLUMNS)[number];

/**
 * The columns of the tables, and the mapping between their rows and the records of the
 * trafficking API, both ways. rowTo… never throws: the record's check judges what a row holds.
 */
export const COLUMNS = {
  publishers: [
    'id',
    'name',
    'domain',
    'origins',
    'consent_when_silent',
    'us_opt_out_ends_caps',
    'caps_without_user_id',
    ...BLOCK_COLUMNS,
    'cattax',
    'creative_approval',
    'api_key_hash',
    'api_key_hint',
    'archived',
  ],
  placements: ['id', 'publisher_id', 'width', 'height', 'formats', 'floor_micros', 'archived'],
  advertisers: ADVERTISER_COLUMNS,
  bidders: BIDDER_COLUMNS,
  campaigns: ['id', 'publisher_id', 'advertiser_id', 'name', 'active', 'start_at', 'end_at', 'budget_micros', 'archived'],
  line_items: [
    'id',
    'campaign_id',
    'name',
    'type',
    'active',
    'start_at',
    'end_at',
    'budget_type',
    'cpm_micros',
    'cpc_micros',
    'budget_micros',
    'priority',
    'pacing',
    'daily_impression_cap',
    'daily_spend_cap_micros',
    'frequency_cap',
    'frequency_window_s',
    'rate_limit',
    'rate_burst',
    'targeting',
    'bidder_id',
    'endpoint',
    'gvl_id',
    'notice_hosts',
    'floor_micros',
    'value_cpm_micros',
    'deal_id',
    'archived',
  ],
  creatives: [
    'id',
    'name',
    'status',
    'weight',
    'placement_id',
    'line_item_id',
    'format',
    'content',
    'advertiser_domain',
    'width',
    'height',
    'click_url',
    'archived',
    'blocked_at',
  ],
} as const satisfies Readonly<Record<CatalogTable, readonly string[]>>;

export const rowToPublisher = (row: CatalogRow): Loose<PublisherRecord> => ({
  id: row['id'],
  name: row['name'],
  domain: row['domain'],
  origins: row['origins'],
  consent_when_silent: row['consent_when_silent'],
  us_opt_out_ends_frequency_caps: row['us_opt_out_ends_caps'],
  frequency_caps_without_user_id: row['caps_without_user_id'],
  ...(Object.fromEntries(BLOCK_COLUMNS.map((column) => [column, row[column]])) as Loose<Pick<PublisherRecord, BlockColumn>>),
  cattax: row['cattax'],
  creative_approval: row['creative_approval'],
  archived: row['archived'],
});

export const publisherToRow = (record: PublisherRecord): CatalogRow => ({
  name: record.name,
  domain: record.domain,
  origins: [...record.origins],
  consent_when_silent: record.consent_when_silent,
  us_opt_out_ends_caps: record.us_opt_out_ends_frequency_caps,
  caps_without_user_id: record.frequency_caps_without_user_id,
  ...Object.fromEntries(BLOCK_COLUMNS.map((column) => [column, JSON.stringify(record[column])])),
  cattax: record.cattax,
  creative_approval: record.creative_approval,
  archived: record.archived,
});

export const rowToPlacement = ({ floor_micros, ...row }: CatalogRow): Loose<PlacementRecord> => ({
  id: row['id'],
  publisher_id: row['publisher_id'],
  width: row['width'],
  height: row['height'],
  formats: row['formats'],
  floor: shownUsd(floor_micros),
  archived: row['archived'],
});

export const placementToRow = ({ floor, ...record }: PlacementRecord): CatalogRow => ({
  ...record,
  formats: [...record.formats],
  floor_micros: storedMicros(floor),
});

export const rowToCampaign = (row: CatalogRow): Loose<CampaignRecord> => ({
  id: row['id'],
  publisher_id: row['publisher_id'],
  advertiser_id: row['advertiser_id'],
  name: row['name'],
  active: row['active'],
  start_date: shownDate(row['start_at'], showStartDate),
  end_date: shownDate(row['end_at'], showEndDate),
  budget: shownUsd(row['budget_micros']),
  archived: row['archived'],
});

export const campaignToRow = (record: CampaignRecord): CatalogRow => ({
  publisher_id: record.publisher_id,
  advertiser_id: record.advertiser_id,
  name: record.name,
  active: record.active,
  start_at: storedDate(parseStartDate(record.start_date)),
  end_at: storedDate(parseEndDate(record.end_date)),
  budget_micros: storedMicros(record.budget),
  archived: record.archived,
});

export const rowToLineItem = (row: CatalogRow): Loose<LineItemRecord> => ({
  id: row['id'],
  campaign_id: row['campaign_id'],
  name: row['name'],
  type: row['type'],
  active: row['active'],
  start_date: shownDate(row['start_at'], showStartDate),
  end_date: shownDate(row['end_at'], showEndDate),
  budget_type: row['budget_type'],
  cpm: shownUsd(row['cpm_micros']),
  cpc: shownUsd(row['cpc_micros']),
  budget: shownUsd(row['budget_micros']),
  priority: row['priority'],
  pacing: row['pacing'],
  daily_impression_cap: numberOf(row['daily_impression_cap']),
  daily_spend_cap: shownUsd(row['daily_spend_cap_micros']),
  frequency_cap: row['frequency_cap'],
  frequency_window: row['frequency_window_s'],
  rate_limit: row['rate_limit'],
  rate_burst: row['rate_burst'],
  targeting: row['targeting'],
  bidder_id: row['bidder_id'],
  endpoint: row['endpoint'],
  gvl_id: row['gvl_id'],
  notice_hosts: row['notice_hosts'],
  floor: shownUsd(row['floor_micros']),
  value_cpm: shownUsd(row['value_cpm_micros']),
  deal_id: row['deal_id'],
  archived: row['archived'],
});

export const lineItemToRow = (record: LineItemRecord): CatalogRow => ({
  campaign_id: record.campaign_id,
  name: record.name,
  type: record.type,
  active: record.active,
  start_at: storedDate(parseStartDate(record.start_date)),
  end_at: storedDate(parseEndDate(record.end_date)),
  budget_type: record.budget_type,
  cpm_micros: storedMicros(record.cpm),
  cpc_micros: storedMicros(record.cpc),
  budget_micros: storedMicros(record.budget),
  priority: record.priority,
  pacing: record.pacing,
  daily_impression_cap: record.daily_impression_cap,
  daily_spend_cap_micros: storedMicros(record.daily_spend_cap),
  frequency_cap: record.frequency_cap,
  frequency_window_s: record.frequency_window,
  rate_limit: record.rate_limit,
  rate_burst: record.rate_burst,
  targeting: JSON.stringify(record.targeting),
  bidder_id: record.bidder_id,
  endpoint: record.endpoint,
  gvl_id: record.gvl_id,
  notice_hosts: JSON.stringify(record.notice_hosts),
  floor_micros: storedMicros(record.floor),
  value_cpm_micros: storedMicros(record.value_cpm),
  deal_id: record.deal_id,
  archived: record.archived,
});

export const rowToCreative = (row: CatalogRow): Loose<CreativeRecord> => ({
  id: row['id'],
  name: row['name'],
  placement_id: row['placement_id'],
  line_item_id: row['line_item_id'],
  format: row['format'],
  content: row['content'],
  advertiser_domain: row['advertiser_domain'],
  width: row['width'],
  height: row['height'],
  click_url: row['click_url'],
  status: row['status'],
  weight: row['weight'],
  archived: row['archived'],
});

export const creativeToRow = ({ id: _, ...record }: CreativeRecord): CatalogRow => ({ ...record });

const numberOf = (value: unknown): unknown => (value === null || value === undefined ? null : Number(value));

const shownUsd = (micros: unknown): unknown => (micros === null || micros === undefined ? null : usdFromMicros(Number(micros)));

/**
 * A date that RFC 3339 cannot write (infinity, the year 12000) stays as it is, and the check
 * refuses it.
 */
const shownDate = (value: unknown, show: (ms: number) => string): unknown =>
  value instanceof Date && Number.isFinite(value.getTime()) ? show(value.getTime()) : String(value);

const storedDate = (ms: number | undefined): Date | undefined => (ms === undefined ? undefined : new Date(ms));

const storedMicros = (usd: number | null): number | null => (usd === null ? null : microsFromUsd(usd));
