import type { CatalogRow } from '../model/catalog-reading.ts';
import type { AdvertiserRecord, Loose } from '../model/records.ts';

/** Each has the name of its field. */
export const ADVERTISER_COLUMNS = [
  'id',
  'name',
  'domain',
  'paid_by',
  'categories',
  'labels',
  'exclusive',
  'exclusion_labels',
  'contact',
  'archived',
] as const;

export const rowToAdvertiser = (row: CatalogRow): Loose<AdvertiserRecord> =>
  Object.fromEntries(ADVERTISER_COLUMNS.map((column) => [column, row[column]])) as Loose<AdvertiserRecord>;

export const advertiserToRow = ({ id: _, ...record }: AdvertiserRecord): CatalogRow => ({
  ...record,
  categories: [...record.categories],
  labels: [...record.labels],
  exclusion_labels: [...record.exclusion_labels],
});
