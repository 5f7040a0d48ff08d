import type { Knex } from 'knex';
import { EVERYTHING, isLimited, type Scope } from '../access/scope.ts';
import { ROWS } from '../catalog/postgres/rows.ts';
import type { CatalogRow } from '../catalog/model/catalog-reading.ts';
import type { EntityTable } from '../catalog/entities/entities.ts';
import { readPageOfRows, type PageOfRows } from '../api/page-of-rows.ts';
import { searchWords } from '../api/search-words.ts';
import { LIST_FIELDS, matchesWord } from './list-fields.ts';
import { isVisible, onlyVisible, scopeBinding } from './record-scope.ts';
import { belongsTo, ENTITY_KINDS, isArchived, type EntityKind, type EntityRecord } from './entity-kind.ts';

/** Values of the parameter `archived` of a list, the default first. */
export const ARCHIVED_QUERIES = ['false', 'true', 'only'] as const;
export type ArchivedQuery = (typeof ARCHIVED_QUERIES)[number];

export interface ListQuery {
  readonly limit: number;
  readonly offset: number;
  /** Each word of it is in the record or in what it belongs to, ignoring case; '' matches every record. */
  readonly text: string;
  /** Archived records: left out, listed too, or listed alone. */
  readonly archived: ArchivedQuery;
  /** Only records that belong to all of these. */
  readonly parents: readonly EntityReference[];
  /** Only records with these ids; undefined: of any id. */
  readonly ids: readonly (string | number)[] | undefined;
  /** By the names of LIST_FIELDS: only records with one of the values. */
  readonly filters: Readonly<Record<string, readonly string[]>>;
  readonly sort: Sort;
  /** A name of LIST_FIELDS: records of one group together; undefined: they are not grouped. */
  readonly groupBy: string | undefined;
  /** Only records that are seen in it. */
  readonly scope: Scope;
  /** By id, for the order of computed statuses; undefined: the list is not sorted by them. */
  readonly statusRanks?: ReadonlyMap<number, number> | undefined;
}

export interface Sort {
  /** A name of LIST_FIELDS. */
  readonly by: string;
  readonly order: 'asc' | 'desc';
}

export interface EntityReference {
  readonly table: EntityTable;
  readonly id: string | number;
}

/** How many records of each table a deletion would also delete. */
export type CascadeCounts = Readonly<Record<string, number>>;

/**
 * The query with what Postgres does not know: the ids of the records that have the wanted statuses,
 * and the order of statuses. Rejects when Postgres is away.
 */
export type JudgeList = (kind: EntityKind, query: ListQuery) => Promise<ListQuery>;

/** The most records of an answer. */
export const MAX_LISTED = 10_000;

/** SQL: the judgement of each record beside it, for the order `status_rank` of list-fields.ts. */
const STATUS_RANKS = 'left join unnest(cast(? as int[]), cast(? as int[])) as judged (judged_id, status_rank) on judged_id = id';

/** Reads the catalog's tables; with a transaction for `knex`, as that transaction sees them. Every method rejects when Postgres is away. */
export const createEntityReader = ({ knex }: { readonly knex: Knex }) => {
  /** A creative belongs to the publisher of its line item, whatever its placement says. */
  const within = ({ table }: EntityKind, parents: readonly EntityReference[], scope: Scope): Knex.QueryBuilder => {
    const query = onlyVisible(knex(table), table, scope);
    for (const parent of parents) {
      void query.whereRaw(belongsTo(table, parent.table).at(-1) ?? 'false', { id: parent.id });
      if (isLimited(scope)) void query.whereExists(onlyVisible(knex(parent.table).where({ id: parent.id }), parent.table, scope));
    }
    return query;
  };

  const matching = (kind: EntityKind, { text, archived, parents, ids, filters, scope }: ListQuery): Knex.QueryBuilder => {
    const query = within(kind, parents, scope);
    const known = LIST_FIELDS[kind.table];
    if (ids) void query.whereRaw(`id = any(cast(:ids as ${kind.namedByClient ? 'text' : 'int'}[]))`, { ids: ids as string[] });
    for (const [name, values] of Object.entries(filters)) {
      const { sql } = known.filters[name] ?? {};
      // The case of a stored value does not matter (catalog/checks/canonical-spelling.ts).
      if (sql)
        void query.whereRaw(`cast(lower(cast(${sql} as text)) as text[]) && cast(:values as text[])`, {
          values: values.map((value) => value.toLowerCase()),
        });
    }
    if (archived !== 'true') void query.whereRaw(`${archived === 'only' ? '' : 'not '}(${isArchived(kind.table)})`);
    for (const { word, pattern } of searchWords(text)) {
      void query.whereRaw(`(${matchesWord(kind.table, scope)})`, { pattern, word, ...scopeBinding(scope) });
    }
    return query;
  };

  return {
    /** The rows of a list: a query to select from. */
    matching,

    /** The ids of all records of a list, of MAX_LISTED at most. */
    ids: async (kind: EntityKind, query: ListQuery): Promise<readonly (string | number)[]> => {
      const rows = await matching(kind, query).orderBy('id').limit(MAX_LISTED).select<{ id: string | number }[]>('id');
      return rows.map(({ id }) => id);
    },

    /** A page of records in order, as many as fit into an answer, and how many there are in all. */
    list: async (kind: EntityKind, asked: ListQuery): Promise<PageOfRows<EntityRecord> & { readonly total: number }> => {
      const { limit, offset, sort } = asked;
      const query = matching(kind, asked);
      if (asked.statusRanks) void query.joinRaw(STATUS_RANKS, [[...asked.statusRanks.keys()], [...asked.statusRanks.values()]]);
      const sortBy = LIST_FIELDS[kind.table].sorts[sort.by] ?? 'id';
      const group = LIST_FIELDS[kind.table].groups[asked.groupBy ?? ''];
      const groupBy = group ? [`lower(${group.name})`, group.id] : [];
      const page = { columns: ROWS[kind.table].columns, order: sort.order, sortBy, groupBy, limit, offset, rowBytes: kind.rowBytes };
      const [counted, { rows, more }] = await Promise.all([
        query.clone().count<{ count: string }[]>('* as count'),
        readPageOfRows<CatalogRow>(knex, query.clone(), page),
      ]);
      return { rows: rows.map(kind.toRecord), more, total: Number(counted[0]?.count) };
    },

    find: async (kind: EntityKind, id: string | number): Promise<EntityRecord | undefined> => {
      const row = await knex(kind.table).where({ id }).first<CatalogRow | undefined>(ROWS[kind.table].columns);
      return row && kind.toRecord(row);
    },

    /** Of what is seen in a scope. */
    cascade: async ({ table }: EntityKind, id: string | number, scope: Scope = EVERYTHING): Promise<CascadeCounts> => {
      const counts = Object.values(ENTITY_KINDS).flatMap((kind) => {
        const ways = belongsTo(kind.table, table, true);
        return ways.length === 0
          ? []
          : [`(select count(*) from ${kind.table} where (${ways.join(' or ')}) and ${isVisible(kind.table, scope)})::int as ${kind.table}`];
      });
      if (counts.length === 0) return {};
      const { rows } = await knex.raw<{ rows: CascadeCounts[] }>(`select ${counts.join(', ')}`, {
        id,
        ...scopeBinding(scope),
      });
      return rows[0] ?? {};
    },

    /** By id, how many records of each table belong to each record directly, are not archived, and are seen in a scope. */
    children: async (kind: EntityKind, ids: readonly (string | number)[], scope: Scope): Promise<ReadonlyMap<string, CascadeCounts>> => {
      const found = new Map<string, Record<string, number>>(ids.map((id) => [String(id), {}]));
      for (const child of Object.values(ENTITY_KINDS)) {
        const parent = child.parents.find(({ table }) => table === kind.table);
        if (!parent) continue;
        for (const counts of found.values()) counts[child.table] = 0;
        const named = parent.list ? `unnest(array_prepend(${parent.field}, ${parent.list.more}))` : parent.field;
        const { rows } = await knex.raw<{ rows: { id: string | number; count: string }[] }>(
          `select id, count(*) as count from (select ${named} as id from ${child.table} where not (${isArchived(child.table)}) and ${isVisible(child.table, scope)}) as of_parent
           where id = any(cast(:ids as ${kind.namedByClient ? 'text' : 'int'}[])) group by 1`,
          { ids, ...scopeBinding(scope) },
        );
        for (const { id, count } of rows) {
          const counts = found.get(String(id));
          if (counts) counts[child.table] = Number(count);
        }
      }
      return found;
    },
  };
};

export type EntityReader = ReturnType<typeof createEntityReader>;
