import type { Knex } from 'knex';
import type { Publishers } from '../access/caller.ts';
import type { RecordReach } from '../api/call-rights.ts';
import { noSuch, refuse } from '../api/route.ts';
import { ENTITY_TABLES, entityOf, type EntityTable } from '../catalog/entities/entities.ts';
import { columnOf } from '../catalog/postgres/rows.ts';
import { ENTITY_KINDS } from './entity-kind.ts';

const IDS = 'any(cast(:publishers as int[]))';

/** The binding of the SQL below. */
export const publisherBinding = (publishers: Publishers): { readonly publishers: number[] | null } => ({
  publishers: publishers && [...publishers],
});

/** SQL: the column `publisher_id` is one of `:publishers`, or these are null. */
export const IS_OF_PUBLISHERS = `(cast(:publishers as int[]) is null or publisher_id = ${IDS})`;

/** SQL: a row of `table` belongs to one of `:publishers`. */
export const isOwned = (table: EntityTable): string => {
  if (table === 'publishers') return `id = ${IDS}`;
  const owner = ENTITY_KINDS[table].parents.at(-1);
  if (!owner) return 'false';
  return owner.table === 'publishers'
    ? `${owner.field} = ${IDS}`
    : `${owner.field} in (select id from ${owner.table} where ${isOwned(owner.table)})`;
};

/**
 * SQL: who may see `:publishers` only sees a row of `table`: it is theirs, it is open to all
 * publishers, or it belongs to none and a record of theirs names it.
 */
export const isVisible = (table: EntityTable): string => {
  const owner = ENTITY_KINDS[table].parents.at(-1);
  if (owner)
    return owner.table === 'publishers' && table === 'placements' ? `(${isOwned(table)} or ${owner.field} is null)` : isOwned(table);
  if (table === 'publishers') return isOwned(table);
  const named = ENTITY_TABLES.flatMap((other) =>
    Object.entries(entityOf(other).fields).flatMap(([name, field]) => {
      const column = columnOf(name, field);
      if (field.parent !== table || column === null) return [];
      const ids = field.schema['type'] === 'array' ? `unnest(${column})` : column;
      return [`id in (select ${ids} from ${other} where ${isOwned(other)})`];
    }),
  );
  return `(${named.join(' or ')})`;
};

/** Leaves the rows of a query that callers for these publishers see. */
export const onlyVisible = (query: Knex.QueryBuilder, table: EntityTable, publishers: Publishers): Knex.QueryBuilder =>
  publishers ? query.whereRaw(isVisible(table), publisherBinding(publishers)) : query;

/** SQL for a condition of a larger statement, with `publisherBinding`: rows of `table` that callers for these publishers see. */
export const visibleSql = (table: EntityTable, publishers: Publishers): string => (publishers ? isVisible(table) : 'true');

/** The ids that callers for these publishers see, of some. Rejects when Postgres is unavailable. */
export const visibleIds = async (
  knex: Knex,
  table: EntityTable,
  publishers: Publishers,
  ids: readonly number[],
): Promise<readonly number[]> => {
  if (!publishers) return ids;
  const rows = await onlyVisible(knex(table).whereIn('id', ids), table, publishers).select<{ id: number }[]>('id');
  const known = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => known.has(id));
};

/** Whether a caller reaches the record whose id is the first step of a path of the API: `/api/campaigns/{id}/comments`. */
export const createRecordReach =
  ({ knex }: { readonly knex: Knex }): RecordReach =>
  async ({ path, method, asks, reach }, { publishers }, id) => {
    const table = ENTITY_TABLES.find((one) => path.startsWith(`/api/${one}/{id}`));
    if (!publishers || reach !== 'own' || table === undefined) return undefined;
    const { words } = ENTITY_KINDS[table];
    const row = await onlyVisible(knex(table).where({ id: id as string | number }), table, publishers)
      .select(knex.raw(`${isOwned(table)} as owned`, publisherBinding(publishers)))
      .first<{ owned: boolean | null } | undefined>();
    if (!row) return noSuch(words);
    if (row.owned === true || method === 'GET' || asks) return undefined;
    return refuse('forbidden', `The ${words} is shared with other publishers, and your access is for some.`);
  };
