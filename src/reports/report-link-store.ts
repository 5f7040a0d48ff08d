import type { Knex } from 'knex';
import { REPORT_LINK_SECRET } from '../access/secret-kind.ts';
import type { Ids } from '../access/scope.ts';
import { show, type Columns, type Shown } from '../api/columns.ts';
import * as s from '../base/schema.ts';
import { recordChange, type ChangedBy } from '../bookings/audit-trail.ts';

/** What a read-only link shows: one advertiser's figures, as one report. */
export interface SharedReport {
  readonly advertiserId: number;
  readonly title: string;
  /** The parameters of GET /api/reports, without a filter of advertisers. */
  readonly query: string;
  /** Those whose figures it shows; null: of all. */
  readonly publishers: Ids;
}

interface LinkRow {
  readonly id: number;
  readonly prefix: string;
  readonly advertiser_id: number;
  readonly title: string;
  readonly query: string;
  readonly publishers: Ids;
  readonly created_by: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly last_used_at: Date | null;
  readonly revoked_at: Date | null;
}

const momentOf = (at: Date | null): string | null => at?.toISOString() ?? null;

export const LINK_COLUMNS = {
  id: { schema: s.integer, of: ({ id }) => id },
  prefix: { schema: s.described(s.text, 'The first characters of the link’s token'), of: ({ prefix }) => prefix },
  advertiser_id: { schema: s.integer, of: (row) => row.advertiser_id },
  title: { schema: s.text, of: ({ title }) => title },
  query: { schema: s.described(s.text, 'The parameters of GET /api/reports'), of: ({ query }) => query },
  publishers: {
    schema: s.orNull(s.listOf(s.integer), { description: 'Whose figures it shows; null: those of all publishers' }),
    of: ({ publishers }) => publishers,
  },
  created_by: { schema: s.text, of: (row) => row.created_by },
  created_at: { schema: s.moment, of: (row) => row.created_at.toISOString() },
  expires_at: { schema: s.moment, of: (row) => row.expires_at.toISOString() },
  last_used_at: { schema: s.orNull(s.moment, { description: 'To the minute; null: never' }), of: (row) => momentOf(row.last_used_at) },
  revoked_at: { schema: s.orNull(s.moment), of: (row) => momentOf(row.revoked_at) },
} satisfies Columns<LinkRow>;

export type ReportLink = Shown<typeof LINK_COLUMNS>;

/** Read-only links to reports of one advertiser. Every method rejects when Postgres is unavailable. */
export interface ReportLinkStore {
  /** Newest first, of those that show figures of these publishers alone; revoked and expired ones too. */
  list(publishers: Ids, page: { readonly limit: number; readonly offset: number }): Promise<readonly ReportLink[]>;
  /** With its token, this once. */
  create(shared: SharedReport, days: number, by: ChangedBy): Promise<ReportLink & { readonly token: string }>;
  /** No replica answers it once this resolves. False: there is none of these publishers with this id that could be used. */
  revoke(id: number, publishers: Ids, by: ChangedBy): Promise<boolean>;
  /** undefined: there is none with this token, or it has ended. */
  use(token: string): Promise<(SharedReport & { readonly id: number; readonly expiresAt: Date }) | undefined>;
}

const NAMES = Object.keys(LINK_COLUMNS);
const IS_USABLE = 'revoked_at is null and expires_at > now()';
const IS_SEEN = '(cast(:seen as int[]) is null or publishers <@ cast(:seen as int[]))';
/** The moment of the last use is written once a minute at most. */
const USE = `
  with used as (
    update report_links set last_used_at = now()
    where digest = :digest and ${IS_USABLE} and (last_used_at is null or last_used_at < now() - interval '1 minute'))
  select id, advertiser_id as "advertiserId", title, query, publishers, expires_at as "expiresAt"
  from report_links where digest = :digest and ${IS_USABLE}`;

/** The binding of IS_SEEN. */
const seenBy = (publishers: Ids): { readonly seen: number[] | null } => ({ seen: publishers && [...publishers] });

export const createReportLinkStore = ({ knex }: { readonly knex: Knex }): ReportLinkStore => ({
  list: async (publishers, { limit, offset }) => {
    const links = knex('report_links').whereRaw(IS_SEEN, { ...seenBy(publishers) });
    const rows = await links.orderBy('id', 'desc').limit(limit).offset(offset).select<LinkRow[]>(NAMES);
    return rows.map((row) => show(LINK_COLUMNS, row));
  },

  create: ({ advertiserId, ...shared }, days, by) =>
    knex.transaction(async (trx) => {
      const { secret, shown, digest } = REPORT_LINK_SECRET.make();
      const expires = trx.raw('now() + make_interval(days => ?)', [days]);
      const row = { digest, prefix: shown, advertiser_id: advertiserId, ...shared, created_by: by.actor, expires_at: expires };
      const [stored] = await trx('report_links').insert(row).returning<LinkRow[]>(NAMES);
      if (!stored) throw new Error('Postgres returned no row for a link that it stored.');
      const after = show(LINK_COLUMNS, stored);
      await recordChange(trx, { ...by, action: 'share_report', entity: 'advertiser', entityId: advertiserId, before: null, after });
      return { ...after, token: secret };
    }),

  revoke: (id, publishers, by) =>
    knex.transaction(async (trx) => {
      const [row] = await trx('report_links')
        .where({ id })
        .whereRaw(`${IS_USABLE} and ${IS_SEEN}`, { ...seenBy(publishers) })
        .update({ revoked_at: trx.fn.now() })
        .returning<LinkRow[]>(NAMES);
      if (!row) return false;
      const before = { ...show(LINK_COLUMNS, row), revoked_at: null };
      await recordChange(trx, { ...by, action: 'delete', entity: 'report_link', entityId: id, before, after: null });
      return true;
    }),

  use: async (token) => {
    const digest = REPORT_LINK_SECRET.digestOf(token);
    if (!digest) return undefined;
    const { rows } = await knex.raw<{ rows: (SharedReport & { readonly id: number; readonly expiresAt: Date })[] }>(USE, { digest });
    return rows[0];
  },
});
