import type { Knex } from 'knex';
import { REPORT_LINK_SECRET } from '../access/secret-kind.ts';
import type { Ids } from '../access/scope.ts';
import type { Columns, Shown } from '../api/columns.ts';
import * as s from '../base/schema.ts';
import type { ChangedBy } from '../bookings/audit-trail.ts';
import { createSharedLinkStore, SHARED_LINK_COLUMNS, type SharedLinkRow, type Narrow } from '../links/shared-link-store.ts';

/** What a read-only link shows: one advertiser's figures, as one report. */
export interface SharedReport {
  readonly advertiserId: number;
  readonly title: string;
  /** The parameters of GET /api/reports, without a filter of advertisers. */
  readonly query: string;
  /** Those whose figures it shows; null: of all. */
  readonly publishers: Ids;
}

interface ReportLinkRow extends SharedLinkRow {
  readonly advertiser_id: number;
  readonly query: string;
  readonly publishers: Ids;
}

export const REPORT_LINK_COLUMNS = {
  ...SHARED_LINK_COLUMNS,
  advertiser_id: { schema: s.integer, of: (row) => row.advertiser_id },
  query: { schema: s.described(s.text, 'The parameters of GET /api/reports'), of: ({ query }) => query },
  publishers: {
    schema: s.orNull(s.listOf(s.integer), { description: 'Whose figures it shows; null: those of all publishers' }),
    of: ({ publishers }) => publishers,
  },
} satisfies Columns<ReportLinkRow>;

export type ReportLink = Shown<typeof REPORT_LINK_COLUMNS>;
type UsedLink = SharedReport & { readonly id: number; readonly expiresAt: Date };

/** Those that show figures of these publishers alone. */
const seenBy =
  (publishers: Ids): Narrow =>
  (links) =>
    publishers === null ? links : links.whereRaw('publishers <@ cast(:seen as int[])', { seen: [...publishers] });

/** Read-only links to reports of one advertiser. Every method rejects when Postgres is unavailable. */
export const createReportLinkStore = ({ knex }: { readonly knex: Knex }) => {
  const links = createSharedLinkStore<ReportLinkRow, typeof REPORT_LINK_COLUMNS>(knex, {
    ...{ table: 'report_links', entity: 'report_link', secret: REPORT_LINK_SECRET, columns: REPORT_LINK_COLUMNS },
  });
  return {
    /** Newest first, of those that show figures of these publishers alone; revoked and expired ones too. */
    list: (publishers: Ids, page: { readonly limit: number; readonly offset: number }): Promise<readonly ReportLink[]> =>
      links.list(seenBy(publishers), page),
    /** With its token, this once. */
    create: ({ advertiserId, ...shared }: SharedReport, days: number, by: ChangedBy): Promise<ReportLink & { readonly token: string }> =>
      links.create({ advertiser_id: advertiserId, ...shared }, days, by, (after) => ({
        ...{ action: 'share_report', entity: 'advertiser', entityId: advertiserId, after },
      })),
    /** No replica answers it once this resolves. False: there is none of these publishers with this id that could be used. */
    revoke: (id: number, publishers: Ids, by: ChangedBy): Promise<boolean> => links.revoke(id, seenBy(publishers), by),
    /** undefined: there is none with this token, or it has ended. */
    use: (token: string) =>
      links.use<UsedLink>(token, 'id, advertiser_id as "advertiserId", title, query, publishers, expires_at as "expiresAt"'),
  };
};

export type ReportLinkStore = ReturnType<typeof createReportLinkStore>;
