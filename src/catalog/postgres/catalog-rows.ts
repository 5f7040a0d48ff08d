import type { CatalogRow, CatalogTable } from '../model/catalog-reading.ts';
import { ADVERTISER_COLUMNS } from './advertiser-rows.ts';
import { BIDDER_COLUMNS } from './bidder-rows.ts';
import { shownDate, shownUsd, storedDate, storedMicros } from './cells.ts';
import { CREATIVE_COLUMNS } from './creative-rows.ts';
import { LINE_ITEM_COLUMNS } from './line-item-rows.ts';
import { parseEndDate, parseStartDate, showEndDate, showStartDate } from '../model/flight-dates.ts';
import type { CampaignRecord, Loose, PlacementRecord, PublisherRecord } from '../model/records.ts';

/** Columns of a publisher whose values are JSON. */
const BLOCK_COLUMNS = ['badv', 'bcat', 'acat', 'battr'] as const;
/** Columns of a publisher and of a placement, each with the name of its field. */
const ADVERTISER_BLOCK_COLUMNS = ['blocked_advertiser_ids', 'blocked_advertiser_labels'] as const;
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
    ...ADVERTISER_BLOCK_COLUMNS,
    'creative_approval',
    'time_zone',
    'currency',
    'api_key_hash',
    'api_key_hint',
    'archived',
  ],
  placements: ['id', 'publisher_id', 'width', 'height', 'formats', 'floor_micros', ...ADVERTISER_BLOCK_COLUMNS, 'archived'],
  advertisers: ADVERTISER_COLUMNS,
  bidders: BIDDER_COLUMNS,
  campaigns: ['id', 'publisher_id', 'advertiser_id', 'name', 'active', 'start_at', 'end_at', 'budget_micros', 'archived'],
  line_items: LINE_ITEM_COLUMNS,
  creatives: CREATIVE_COLUMNS,
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
  blocked_advertiser_ids: row['blocked_advertiser_ids'],
  blocked_advertiser_labels: row['blocked_advertiser_labels'],
  creative_approval: row['creative_approval'],
  time_zone: row['time_zone'],
  currency: row['currency'],
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
  blocked_advertiser_ids: [...record.blocked_advertiser_ids],
  blocked_advertiser_labels: [...record.blocked_advertiser_labels],
  creative_approval: record.creative_approval,
  time_zone: record.time_zone,
  currency: record.currency,
  archived: record.archived,
});

export const rowToPlacement = ({ floor_micros, ...row }: CatalogRow): Loose<PlacementRecord> => ({
  id: row['id'],
  publisher_id: row['publisher_id'],
  width: row['width'],
  height: row['height'],
  formats: row['formats'],
  floor: shownUsd(floor_micros),
  blocked_advertiser_ids: row['blocked_advertiser_ids'],
  blocked_advertiser_labels: row['blocked_advertiser_labels'],
  archived: row['archived'],
});

export const placementToRow = ({ floor, ...record }: PlacementRecord): CatalogRow => ({
  ...record,
  formats: [...record.formats],
  blocked_advertiser_ids: [...record.blocked_advertiser_ids],
  blocked_advertiser_labels: [...record.blocked_advertiser_labels],
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
