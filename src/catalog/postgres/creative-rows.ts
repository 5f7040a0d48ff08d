import type { CatalogRow } from '../model/catalog-reading.ts';
import type { CreativeRecord, Loose } from '../model/records.ts';

/** The first placement has a column, by which other tables and queries refer to it. */
export const CREATIVE_COLUMNS = [
  'id',
  'name',
  'status',
  'weight',
  'placement_id',
  'more_placement_ids',
  'line_item_id',
  'format',
  'content',
  'advertiser_domain',
  'width',
  'height',
  'click_url',
  'archived',
  'blocked_at',
] as const;

export const rowToCreative = (row: CatalogRow): Loose<CreativeRecord> => ({
  id: row['id'],
  name: row['name'],
  placement_id: row['placement_id'],
  placement_ids: [row['placement_id'], row['more_placement_ids'] ?? []].flat(),
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

export const creativeToRow = ({ id: _, placement_ids: [placement_id, ...more_placement_ids], ...record }: CreativeRecord): CatalogRow => ({
  ...record,
  placement_id,
  more_placement_ids,
});
