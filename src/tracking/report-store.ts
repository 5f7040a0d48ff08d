import type { Knex } from 'knex';
import type { ServedAd } from '../ledger/hit.ts';

export const REPORT_REASONS = ['offensive', 'misleading', 'malware', 'irrelevant', 'other'] as const;
export type ReportReason = (typeof REPORT_REASONS)[number];

/** Ad quality reports. Nothing about the person who sent one is kept. */
export interface ReportStore {
  /** One report a token: sending it again gives the first one's id. Rejects when Postgres is away. */
  file(ad: ServedAd, reason: ReportReason): Promise<string>;
}

export const createReportStore = ({ knex }: { readonly knex: Knex }): ReportStore => ({
  file: async (ad, reason) => {
    const row = { jti: ad.tokenId, publisher_id: ad.publisherId, line_item_id: ad.lineItemId, creative_id: ad.creativeId, reason };
    // The update changes nothing; it makes the row that is already there come back.
    const [filed] = await knex('reports').insert(row).onConflict('jti').merge({ jti: ad.tokenId }).returning<{ id: string }[]>('id');
    return String(filed?.id);
  },
});
