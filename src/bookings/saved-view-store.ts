import type { Knex } from 'knex';
import { NOT_BLANK } from '../base/schema-faults.ts';
import { ENTITY_TABLES, type EntityTable } from '../catalog/entities/entities.ts';
import { show, type Columns, type Shown } from '../api/columns.ts';
import { integer, oneOf, text } from '../api/schema.ts';

const MAX_NAME_LENGTH = 80;
const MAX_QUERY_LENGTH = 2_000;
/** Of one person. */
export const MAX_SAVED_VIEWS = 100;

export const NEW_VIEW_SCHEMA = {
  type: 'object',
  required: ['kind', 'name', 'query'],
  additionalProperties: false,
  properties: {
    kind: { type: 'string', enum: ENTITY_TABLES },
    name: { type: 'string', pattern: NOT_BLANK, maxLength: MAX_NAME_LENGTH },
    query: { type: 'string', maxLength: MAX_QUERY_LENGTH, description: 'Parameters of the list: q=boots&status=behind&sort=-price' },
  },
} as const;

export interface NewView {
  readonly kind: EntityTable;
  readonly name: string;
  readonly query: string;
}

interface ViewRow extends NewView {
  readonly id: number;
}

export const VIEW_COLUMNS = {
  id: { schema: integer, of: ({ id }) => id },
  kind: { schema: oneOf(ENTITY_TABLES), of: ({ kind }) => kind },
  name: { schema: text, of: ({ name }) => name },
  query: { schema: text, of: ({ query }) => query },
} satisfies Columns<ViewRow>;

export type SavedView = Shown<typeof VIEW_COLUMNS>;

/** The saved views of each person. Every method rejects when Postgres is away. */
export interface SavedViewStore {
  /** By name. */
  list(owner: string): Promise<readonly SavedView[]>;
  /** Replaces the view with this name. undefined: the person has MAX_SAVED_VIEWS others. */
  save(owner: string, view: NewView): Promise<SavedView | undefined>;
  /** false: this person has no view with this id. */
  remove(id: number, owner: string): Promise<boolean>;
}

export const createSavedViewStore = ({ knex }: { readonly knex: Knex }): SavedViewStore => ({
  list: async (owner) => {
    const rows = await knex('saved_views')
      .where({ owner })
      .orderByRaw('lower(name), id')
      .limit(MAX_SAVED_VIEWS)
      .select<ViewRow[]>('id', 'kind', 'name', 'query');
    return rows.map((row) => show(VIEW_COLUMNS, row));
  },

  save: async (owner, { kind, name, query }) => {
    const { rows } = await knex.raw<{ rows: ViewRow[] }>(
      `insert into saved_views (owner, kind, name, query)
       select :owner, :kind, :name, :query
       where (select count(*) from saved_views where owner = :owner and not (kind = :kind and name = :name)) < :max
       on conflict (owner, kind, name) do update set query = excluded.query
       returning id, kind, name, query`,
      { owner, kind, name, query, max: MAX_SAVED_VIEWS },
    );
    return rows[0] && show(VIEW_COLUMNS, rows[0]);
  },

  remove: async (id, owner) => (await knex('saved_views').where({ id, owner }).delete()) > 0,
});
