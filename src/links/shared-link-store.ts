import type { Knex } from 'knex';
import type { SecretKind } from '../access/secret-kind.ts';
import { momentOf, show, type Columns, type Shown } from '../api/columns.ts';
import * as s from '../base/schema.ts';
import { recordChange, type Change, type ChangedBy } from '../bookings/audit-trail.ts';

/** What each link that opens something without sign-in has in its table, beside what it shows. */
export interface SharedLinkRow {
  readonly id: number;
  readonly prefix: string;
  readonly title: string;
  readonly created_by: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly last_used_at: Date | null;
  readonly revoked_at: Date | null;
}

/** In answers about every kind of link. */
export const SHARED_LINK_COLUMNS = {
  id: { schema: s.integer, of: ({ id }) => id },
  prefix: { schema: s.described(s.text, 'The first characters of the link’s token'), of: ({ prefix }) => prefix },
  title: { schema: s.text, of: ({ title }) => title },
  created_by: { schema: s.text, of: (row) => row.created_by },
  created_at: { schema: s.moment, of: (row) => row.created_at.toISOString() },
  expires_at: { schema: s.moment, of: (row) => row.expires_at.toISOString() },
  last_used_at: { schema: s.orNull(s.moment, { description: 'To the minute; null: never' }), of: (row) => momentOf(row.last_used_at) },
  revoked_at: { schema: s.orNull(s.moment), of: (row) => momentOf(row.revoked_at) },
} satisfies Columns<SharedLinkRow>;

const MAX_LINK_DAYS = 365;
const DEFAULT_LINK_DAYS = 30;
/** How long a new link lasts. */
export const LINK_DAYS = s.withDefault(s.integerOf({ minimum: 1, maximum: MAX_LINK_DAYS }), DEFAULT_LINK_DAYS);

/** Leaves those of a query that a caller may see. */
export type Narrow = (links: Knex.QueryBuilder) => Knex.QueryBuilder;
type Page = { readonly limit: number; readonly offset: number };

/** The links of one kind. Every method rejects when Postgres is unavailable. */
export interface LinkStore<Link> {
  /** Newest first; revoked and expired ones too. */
  list(only: Narrow, page: Page): Promise<readonly Link[]>;
  /** With its token, this once. @param shared what the audit trail says was shared */
  create(row: object, days: number, by: ChangedBy, shared: (link: Link) => Shared): Promise<Link & { readonly token: string }>;
  /** No replica answers it once this resolves. False: there is none of these with this id that could be used. */
  revoke(id: number, only: Narrow, by: ChangedBy): Promise<boolean>;
  /** undefined: there is none with this token, or it has ended. @param columns SQL of what is read of it */
  use<T>(token: string, columns: string): Promise<T | undefined>;
}
type Shared = Pick<Change, 'action' | 'entity' | 'entityId' | 'after'>;

export interface LinkKind<C> {
  readonly table: string;
  /** In the audit trail. */
  readonly entity: string;
  readonly secret: SecretKind;
  readonly columns: C;
}

const IS_USABLE = 'revoked_at is null and expires_at > now()';

export const createSharedLinkStore = <Row extends SharedLinkRow, C extends Columns<Row>>(
  knex: Knex,
  { table, entity, secret: kind, columns }: LinkKind<C>,
): LinkStore<Shown<C>> => {
  const names = Object.keys(columns);
  return {
    list: async (only, { limit, offset }) => {
      const rows = (await only(knex(table)).orderBy('id', 'desc').limit(limit).offset(offset).select(names)) as Row[];
      return rows.map((row) => show(columns, row));
    },

    create: (row, days, by, shared) =>
      knex.transaction(async (trx) => {
        const { secret, shown, digest } = kind.make();
        const expires = trx.raw('now() + make_interval(days => ?)', [days]);
        const [stored] = (await trx(table)
          .insert({ ...row, digest, prefix: shown, created_by: by.actor, expires_at: expires })
          .returning(names)) as Row[];
        if (!stored) throw new Error('Postgres returned no row for a link that it stored.');
        const link = show(columns, stored);
        await recordChange(trx, { ...by, before: null, ...shared(link) });
        return { ...link, token: secret };
      }),

    revoke: (id, only, by) =>
      knex.transaction(async (trx) => {
        const [row] = (await only(trx(table).where({ id }))
          .whereRaw(IS_USABLE)
          .update({ revoked_at: trx.fn.now() })
          .returning(names)) as Row[];
        if (!row) return false;
        const before = { ...show(columns, row), revoked_at: null };
        await recordChange(trx, { ...by, action: 'delete', entity, entityId: id, before, after: null });
        return true;
      }),

    use: async <T>(token: string, read: string) => {
      const digest = kind.digestOf(token);
      if (!digest) return undefined;
      // The moment of the last use is written once a minute at most.
      const { rows } = await knex.raw<{ rows: T[] }>(
        `with used as (
           update ${table} set last_used_at = now()
           where digest = :digest and ${IS_USABLE} and (last_used_at is null or last_used_at < now() - interval '1 minute'))
         select ${read} from ${table} where digest = :digest and ${IS_USABLE}`,
        { digest },
      );
      return rows[0];
    },
  };
};
