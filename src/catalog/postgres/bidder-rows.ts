import { sealMark } from '../../base/seal-mark.ts';
import type { CatalogRow } from '../model/catalog-reading.ts';
import type { BidderRecord, Loose } from '../model/records.ts';

/** Columns whose values are JSON. */
const JSON_COLUMNS = ['headers', 'params', 'seats', 'notice_hosts', 'ads_txt', 'bcat', 'badv', 'battr'] as const;

/** Each has the name of its field. `headers` holds sealed values. */
export const BIDDER_COLUMNS = [
  'id',
  'name',
  'endpoint',
  'gzip',
  'gvl_id',
  'currency',
  'bid_adjustment',
  'timeout_share',
  'schain_asi',
  'schain_sid',
  'schain_name',
  'schain_domain',
  'cattax',
  'archived',
  ...JSON_COLUMNS,
] as const;

export const rowToBidder = (row: CatalogRow): Loose<BidderRecord> => ({
  ...(Object.fromEntries(BIDDER_COLUMNS.map((column) => [column, row[column]])) as Loose<BidderRecord>),
  headers: Object.fromEntries(Object.entries(row['headers'] ?? {}).map(([name, sealed]) => [name, sealMark(String(sealed))])),
});

/** With the headers of the record: marks and new values, which the writer seals. */
export const bidderToRow = ({ id: _, ...record }: BidderRecord): CatalogRow => ({
  ...record,
  ...Object.fromEntries(JSON_COLUMNS.map((column) => [column, JSON.stringify(record[column])])),
});
