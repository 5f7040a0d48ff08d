import type { Knex } from 'knex';
import type { NewView, SavedView } from './saved-view-api.ts';

/** Of one person. */
export const MAX_SAVED_VIEWS = 100;

/** The saved views of each person. Every method rejects when Postgres is away. */
export const createSavedViewStore = ({ knex }: { readonly knex: Knex }) => ({
  /** By name. */
  list: async (owner: string): Promise<readonly SavedView[]> =>
    knex('saved_views')
      .where({ owner })
      .orderByRaw('lower(name), id')
      .limit(MAX_SAVED_VIEWS)
      .select<SavedView[]>('id', 'kind', 'name', 'query'),

  /** Replaces the view with this name. undefined: the person has MAX_SAVED_VIEWS others. */
  save: async (owner: string, { kind, name, query }: NewView): Promise<SavedView | undefined> => {
    const { rows } = await knex.raw<{ rows: SavedView[] }>(
      `insert into saved_views (owner, kind, name, query)
       select :owner, :kind, :name, :query
       where (select count(*) from saved_views where owner = :owner and not (kind = :kind and name = :name)) < :max
       on conflict (owner, kind, name) do update set query = excluded.query
       returning id, kind, name, query`,
      { owner, kind, name, query, max: MAX_SAVED_VIEWS },
    );
    return rows[0];
  },

  /** false: this person has no view with this id. */
  remove: async (id: number, owner: string): Promise<boolean> => (await knex('saved_views').where({ id, owner }).delete()) > 0,
});
export type SavedViewStore = ReturnType<typeof createSavedViewStore>;
