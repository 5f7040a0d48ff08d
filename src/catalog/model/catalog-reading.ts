export const CATALOG_TABLES = ['publishers', 'placements', 'advertisers', 'bidders', 'campaigns', 'line_items', 'creatives'] as const;
export type CatalogTable = (typeof CATALOG_TABLES)[number];

/**
 * A row as Postgres gives it: bigint as a string, a timestamp as a Date, anything that the column
 * types allow.
 */
export interface CatalogRow {
  readonly [column: string]: unknown;
}

/**
 * Recent delivery of a line item: sums over the last 30 UTC days, and the number of days with any.
 */
export interface RecentCounts {
  readonly impressions: number;
  readonly clicks: number;
  readonly days: number;
}

/** What one load reads, all of it at one moment. */
export interface CatalogReading {
  readonly version: number;
  readonly userHashKey: Uint8Array;
  readonly recentCounts: ReadonlyMap<number, RecentCounts>;
  /**
   * Impressions by UTC hour (24 entries) over the last whole days, by publisher; only of publishers
   * with paced line items.
   */
  readonly hourlyImpressions: ReadonlyMap<number, readonly number[]>;
  /**
   * The blocks of a table that hold rows, by number, each with a digest of its rows: equal digests
   * mean equal rows.
   */
  digests(table: CatalogTable): Promise<ReadonlyMap<number, string>>;
  /** The rows of one block by id, in pages, so that each page can be freed once it is read. */
  rows(table: CatalogTable, block: number): AsyncIterable<readonly CatalogRow[]>;
}
