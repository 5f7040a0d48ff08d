import type { Knex } from 'knex';
import { COLUMNS } from '../../catalog/postgres/catalog-rows.ts';
import type { CatalogRow, CatalogTable } from '../../catalog/model/catalog-reading.ts';
import { readPageOfRows, type PageOfRows } from './page-of-rows.ts';
import { belongsTo, ENTITY_KINDS, isArchived, type EntityKind, type EntityRecord } from './entity-kind.ts';

/** Values of the parameter `archived` of a list, the default first. */
export const ARCHIVED_QUERIES = ['false', 'true', 'only'] as const;
export type ArchivedQuery = (typeof ARCHIVED_QUERIES)[number];

export interface ListQuery {
  readonly limit: number;
  readonly offset: number;
  /** Searched for in the `search` columns, ignoring case; '' matches every record. */
  readonly text: string;
  /** Archived records: left out, listed too, or listed alone. */
  readonly archived: ArchivedQuery;
  /** Only records that belong to all of these. */
  readonly parents: readonly EntityReference[];
}

export interface EntityReference {
  readonly table: CatalogTable;
  readonly id: string | number;
}

/** How many records of each table a deletion would also delete. */
export type CascadeCounts = Readonly<Record<string, number>>;

/** Reads the catalog's tables. Every method rejects when Postgres is away. */
export interface EntityReader {
  /**
   * A page of records by id, as many as fit into an answer, and how many there are in all.
   */
  list(kind: EntityKind, query: ListQuery): Promise<PageOfRows<EntityRecord> & { readonly total: number }>;
  find(kind: EntityKind, id: string | number): Promise<EntityRecord | undefined>;
  cascade(kind: EntityKind, id: string | number): Promise<CascadeCounts>;
}

/** With a transaction for `knex`, the reader sees the writes of that transaction. */
export const createEntityReader = ({ knex }: { readonly knex: Knex }): EntityReader => {
  /** A creative belongs to the publisher of its line item, whatever its placement says. */
  const within = ({ table }: EntityKind, parents: readonly EntityReference[]): Knex.QueryBuilder => {
    const query = knex(table);
    for (const parent of parents) void query.whereRaw(belongsTo(table, parent.table).at(-1) ?? 'false', { id: parent.id });
    return query;
  };

  return {
    list: async (kind, { limit, offset, text, archived, parents }) => {
      const query = within(kind, parents);
      if (archived !== 'true') void query.whereRaw(`${archived === 'only' ? '' : 'not '}(${isArchived(kind.table)})`);
      if (text !== '') {
        const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
        void query.where((either) => kind.search.forEach((column) => void either.orWhereILike(column, pattern)));
      }
      const counted = await query.clone().count<{ count: string }[]>('* as count');
      const page = { columns: COLUMNS[kind.table], order: 'asc' as const, limit, offset, rowBytes: kind.rowBytes };
      const { rows, more } = await readPageOfRows<CatalogRow>(knex, query, page);
      return { rows: rows.map(kind.toRecord), more, total: Number(counted[0]?.count) };
    },

    find: async (kind, id) => {
      const row = await knex(kind.table).where({ id }).first<CatalogRow | undefined>(COLUMNS[kind.table]);
      return row && kind.toRecord(row);
    },

    cascade: async ({ table }, id) => {
      const counts = Object.values(ENTITY_KINDS).flatMap((kind) => {
        const ways = belongsTo(kind.table, table, true);
        return ways.length === 0 ? [] : [`(select count(*) from ${kind.table} where ${ways.join(' or ')})::int as ${kind.table}`];
      });
      if (counts.length === 0) return {};
      const { rows } = await knex.raw<{ rows: CascadeCounts[] }>(`select ${counts.join(', ')}`, { id });
      return rows[0] ?? {};
    },
  };
};
