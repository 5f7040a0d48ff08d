import type { Knex } from 'knex';

/** One creative that users have reported. */
export interface ReportedCreative {
  readonly creative_id: number;
  readonly line_item_id: number;
  readonly publisher_id: number;
  readonly total: number;
  /** How often, by reason. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly last_at: string;
  /** null: it is in delivery. */
  readonly blocked_at: string | null;
  /** The creative is gone; its reports remain. */
  readonly deleted: boolean;
  readonly placement_id: string | null;
  readonly line_item: string | null;
  readonly advertiser_domain: string | null;
}

export interface ReportsQuery {
  readonly limit: number;
  readonly offset: number;
  readonly where: Readonly<Record<string, number>>;
}

/** Most reported first. */
export const readQualityReports = async (knex: Knex, { limit, offset, where }: ReportsQuery): Promise<readonly ReportedCreative[]> => {
  const counted = knex('reports')
    .where(where)
    .groupBy('creative_id', 'line_item_id', 'publisher_id', 'reason')
    .select(
      'creative_id',
      'line_item_id',
      'publisher_id',
      'reason',
      knex.raw('count(*)::int as count'),
      knex.raw('max(created_at) as last_at'),
    );
  const summed = knex
    .from(counted.as('counted'))
    .groupBy('creative_id', 'line_item_id', 'publisher_id')
    .select(
      'creative_id',
      'line_item_id',
      'publisher_id',
      knex.raw('sum(count)::int as total'),
      knex.raw('jsonb_object_agg(reason, count) as reasons'),
      knex.raw('max(last_at) as last_at'),
    );
  const rows = await knex
    .from(summed.as('reported'))
    .leftJoin('creatives', 'creatives.id', 'reported.creative_id')
    .leftJoin('line_items', 'line_items.id', 'reported.line_item_id')
    .orderBy([
      { column: 'total', order: 'desc' },
      { column: 'creative_id', order: 'asc' },
    ])
    .limit(limit)
    .offset(offset)
    .select<(Omit<ReportedCreative, 'last_at' | 'blocked_at'> & { readonly last_at: Date; readonly blocked_at: Date | null })[]>(
      'reported.*',
      'creatives.blocked_at',
      'creatives.placement_id',
      'creatives.advertiser_domain',
      'line_items.name as line_item',
      knex.raw('creatives.id is null as deleted'),
    );
  return rows.map((row) => ({ ...row, last_at: row.last_at.toISOString(), blocked_at: row.blocked_at?.toISOString() ?? null }));
};
