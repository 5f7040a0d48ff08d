import type { RecentCounts } from '../snapshot/ecpm.ts';
import { parseEndDate, parseStartDate, showEndDate, showStartDate } from '../model/flight-dates.ts';
import { microsFromUsd, usdFromMicros } from '../model/money.ts';
import type { CampaignRecord, CreativeRecord, LineItemRecord, PlacementRecord, PublisherRecord } from '../model/records.ts';

/**
 * The five tables, column by column, and both ways between their rows and the records of the trafficking API. Postgres gives bigint as a
 * string and timestamps as a Date. A row may hold anything that the column types allow: rowTo… never throws, and the record's check judges.
 */
export interface CatalogRow {
  readonly [column: string]: unknown;
}

export const CATALOG_TABLES = ['publishers', 'placements', 'campaigns', 'line_items', 'creatives'] as const;
export type CatalogTable = (typeof CATALOG_TABLES)[number];

/** What one load reads, all of one moment. */
export interface CatalogReading {
  readonly version: number;
  readonly userHashKey: Uint8Array;
  readonly recentCounts: ReadonlyMap<number, RecentCounts>;
  /** Impressions by UTC hour (24 entries) over the last whole days, by publisher; of those with paced line items. */
  readonly hourlyImpressions: ReadonlyMap<number, readonly number[]>;
  /** The blocks of a table that hold any rows, by number, each with a digest of all that stands in it: equal digests, equal rows. */
  digests(table: CatalogTable): Promise<ReadonlyMap<number, string>>;
  /** The rows of one block, by id; some at a time, so that they can be let go as soon as they are understood. */
  rows(table: CatalogTable, block: number): AsyncIterable<readonly CatalogRow[]>;
}

/**
 * So many ids share a block, and as many rows are parsed in one go: about a millisecond of the event loop. A single answer of 100,000 rows holds
 * it for a hundred. Placements, which have names for ids, share one block.
 */
export const ROWS_A_BLOCK = 256;

export const COLUMNS = {
  publishers: ['id', 'name', 'domain', 'api_key_hash', 'api_key_hint'],
  placements: ['id', 'publisher_id', 'width', 'height', 'formats'],
  campaigns: ['id', 'publisher_id', 'name', 'start_at', 'end_at', 'budget_micros'],
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
    'endpoint',
  ],
  creatives: ['id', 'placement_id', 'line_item_id', 'format', 'content', 'advertiser_domain', 'width', 'height', 'click_url', 'blocked_at'],
} as const satisfies Readonly<Record<CatalogTable, readonly string[]>>;

type Loose<T> = { readonly [K in keyof Required<T>]: unknown };

export const rowToPublisher = ({ id, name, domain }: CatalogRow): Loose<PublisherRecord> => ({ id, name, domain });

export const publisherToRow = ({ name, domain }: PublisherRecord): CatalogRow => ({ name, domain });

export const rowToPlacement = ({ id, publisher_id, width, height, formats }: CatalogRow): Loose<PlacementRecord> => ({
  id,
  publisher_id,
  width,
  height,
  formats,
});

export const placementToRow = ({ id, publisher_id, width, height, formats }: PlacementRecord): CatalogRow => ({
  id,
  publisher_id,
  width,
  height,
  formats: [...formats],
});

export const rowToCampaign = (row: CatalogRow): Loose<CampaignRecord> => ({
  id: row['id'],
  publisher_id: row['publisher_id'],
  name: row['name'],
  start_date: shownDate(row['start_at'], showStartDate),
  end_date: shownDate(row['end_at'], showEndDate),
  budget: shownUsd(row['budget_micros']),
});

export const campaignToRow = (record: CampaignRecord): CatalogRow => ({
  publisher_id: record.publisher_id,
  name: record.name,
  start_at: storedDate(parseStartDate(record.start_date)),
  end_at: storedDate(parseEndDate(record.end_date)),
  budget_micros: storedMicros(record.budget),
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
  endpoint: row['endpoint'],
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
  endpoint: record.endpoint,
});

export const rowToCreative = (row: CatalogRow): Loose<CreativeRecord> => ({
  id: row['id'],
  placement_id: row['placement_id'],
  line_item_id: row['line_item_id'],
  format: row['format'],
  content: row['content'],
  advertiser_domain: row['advertiser_domain'],
  width: row['width'],
  height: row['height'],
  click_url: row['click_url'],
});

export const creativeToRow = (record: CreativeRecord): CatalogRow => ({
  placement_id: record.placement_id,
  line_item_id: record.line_item_id,
  format: record.format,
  content: record.content,
  advertiser_domain: record.advertiser_domain,
  width: record.width,
  height: record.height,
  click_url: record.click_url,
});

const numberOf = (value: unknown): unknown => (value === null || value === undefined ? null : Number(value));

const shownUsd = (micros: unknown): unknown => (micros === null || micros === undefined ? null : usdFromMicros(Number(micros)));

/** What is no date that RFC 3339 can write (infinity, the year 12000) stays what it is, for the check to refuse. */
const shownDate = (value: unknown, show: (ms: number) => string): unknown =>
  value instanceof Date && Number.isFinite(value.getTime()) ? show(value.getTime()) : String(value);

const storedDate = (ms: number | undefined): Date | undefined => (ms === undefined ? undefined : new Date(ms));

const storedMicros = (usd: number | null): number | null => (usd === null ? null : microsFromUsd(usd));
