import type { Knex } from 'knex';
import type { ServedAd } from '../ledger/hit.ts';

export const REPORT_REASONS = ['offensive', 'misleading', 'malware', 'irrelevant', 'other'] as const;
export type ReportReason = (typeof REPORT_REASONS)[number];

/** Quality reports of users. They store nothing about the user. */
export interface ReportStore {
  /**
   * Stores one report per token and resolves to its id; a repeated token returns the first id.
   * undefined: by Postgres's clock the token has ended. Rejects when Postgres is unavailable.
   *
   * @param isFirst whether its client has not reported the creative before on this day
   */
  file(ad: ServedAd, reason: ReportReason, isFirst: boolean): Promise<string | undefined>;
}

/** A client waits no longer than this; a report that is stored later anyway is the same row. */
const MAX_FILE_MS = 1_000;

export const createReportStore = ({ knex }: { readonly knex: Knex }): ReportStore => ({
  file: async (ad, reason, isFirst) => {
    // The update changes nothing; without it, `returning` would omit the existing row.
    const { rows } = await knex
      .raw<{ rows: { id: string }[] }>(
        `insert into reports (jti, publisher_id, line_item_id, creative_id, reason, first_of_client)
         select ?, ?, ?, ?, ?, ? where now() < to_timestamp(?)
         on conflict (jti) do update set jti = excluded.jti returning id::text`,
        [ad.tokenId, ad.publisherId, ad.lineItemId, ad.creativeId, reason, isFirst, ad.tokenExpS],
      )
      .timeout(MAX_FILE_MS);
    return rows[0]?.id;
  },
});

/** A creative that users have reported. */
export interface ReportedCreative {
  readonly creativeId: number;
  readonly lineItemId: number;
  readonly publisherId: number;
  readonly total: number;
  /** Number of reports by reason. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly lastAt: Date;
  /** null: in delivery, or deleted. */
  readonly blockedAt: Date | null;
  /** Quality reports outlive the creative. */
  readonly deleted: boolean;
  readonly placementId: string | null;
  /** All placements that the creative runs on now. */
  readonly placementIds: readonly string[];
  /** Name of the line item; null: deleted. */
  readonly lineItem: string | null;
  readonly advertiserDomain: string | null;
}

export interface ReportedCreativesQuery {
  readonly limit: number;
  readonly offset: number;
  /** SQL for more conditions on a row of reports, with its bindings. */
  readonly only: Knex.Raw;
  readonly where: Partial<Readonly<Record<'publisher_id' | 'line_item_id' | 'creative_id', number>>>;
}

/**
 * Quality reports counted by creative and reason, most reported first. Rejects when Postgres is
 * unavailable.
 */
export const readReportedCreatives = async (
  knex: Knex,
  { limit, offset, where, only }: ReportedCreativesQuery,
): Promise<readonly ReportedCreative[]> => {
  const counted = knex('reports')
    .where(where)
    .where(only)
    .groupBy('creative_id', 'line_item_id', 'publisher_id', 'reason')
    .select('creative_id', 'line_item_id', 'publisher_id', 'reason', knex.raw('count(*)::int as count, max(created_at) as last_at'));
  const summed = knex
    .from(counted.as('counted'))
    .groupBy('creative_id', 'line_item_id', 'publisher_id')
    .select(
      { creativeId: 'creative_id', lineItemId: 'line_item_id', publisherId: 'publisher_id' },
      knex.raw('sum(count)::int as total, jsonb_object_agg(reason, count) as reasons, max(last_at) as "lastAt"'),
    );
  return knex
    .from(summed.as('reported'))
    .leftJoin('creatives', 'creatives.id', 'reported.creativeId')
    .leftJoin('line_items', 'line_items.id', 'reported.lineItemId')
    .orderBy([
      { column: 'total', order: 'desc' },
      { column: 'creativeId', order: 'asc' },
    ])
    .limit(limit)
    .offset(offset)
    .select<ReportedCreative[]>(
      'reported.*',
      {
        blockedAt: 'creatives.blocked_at',
        placementId: 'creatives.placement_id',
        advertiserDomain: 'creatives.advertiser_domain',
        lineItem: 'line_items.name',
      },
      knex.raw(
        `creatives.id is null as deleted, array_remove(creatives.placement_id || creatives.more_placement_ids, null) as "placementIds"`,
      ),
    );
};
