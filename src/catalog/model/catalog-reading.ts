import type { EntityTable } from '../entities/entities.ts';
import type { SharedCount } from './frequency-caps.ts';

/** The tables that a load reads into shared memory. */
export const CATALOG_TABLES = [
  'publishers',
  'placements',
  'advertisers',
  'bidders',
  'targetings',
  'campaigns',
  'line_items',
  'creatives',
] as const satisfies readonly EntityTable[];
export type CatalogTable = (typeof CATALOG_TABLES)[number];

/**
 * Ids of one block: the part of a table that is read, stored and replaced as a whole. Placements,
 * whose ids are names, are one block.
 */
export const IDS_A_BLOCK = 256;

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
  /** Those that bill, of line items that bill viewable impressions or completed views. */
  readonly billingEvents: number;
  readonly days: number;
}

/** What a creative has delivered over the last 30 UTC days, net. */
export type CreativeCounts = Pick<RecentCounts, 'impressions' | 'clicks'>;

/** A cap over several line items, of one of the line items of a campaign. */
export interface SharedCap extends SharedCount {
  readonly campaignId: number;
  readonly publisherId: number;
  readonly advertiserId: number | null;
}

/** What one load reads, all of it at one moment. */
export interface CatalogReading {
  readonly version: number;
  readonly userHashKey: Uint8Array;
  readonly recentCounts: ReadonlyMap<number, RecentCounts>;
  /** By creative; only of line items with optimised rotation. */
  readonly creativeCounts: ReadonlyMap<number, CreativeCounts>;
  readonly sharedCaps: readonly SharedCap[];
  /**
   * Impressions by UTC hour (24 entries) over the last whole days, by publisher; only of publishers
   * with paced line items.
   */
  readonly hourlyImpressions: ReadonlyMap<number, readonly number[]>;
  /**
   * The blocks of a table that hold rows, by number, each with a digest of its rows: equal digests
   * mean equal rows.
   */
  digests(table: CatalogTable): ReadonlyMap<number, string>;
  /** The rows of one block by id, each with a digest of itself as its `edition`, a number. */
  rows(table: CatalogTable, block: number): Promise<readonly CatalogRow[]>;
}
