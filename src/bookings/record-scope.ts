import type { Knex } from 'knex';
import { isLimited, type Scope } from '../access/scope.ts';
import type { RecordReach } from '../api/call-rights.ts';
import { noSuch, refuse } from '../api/route.ts';
import { ENTITY_TABLES, entityOf, type EntityTable } from '../catalog/entities/entities.ts';
import { columnOf } from '../catalog/postgres/rows.ts';
import { ENTITY_KINDS, isForAllAdvertisers, ownerOf } from './entity-kind.ts';

interface ScopeBinding {
  readonly publishers: number[] | null;
  readonly advertisers: number[] | null;
}

/** The bindings of the SQL below. */
export const scopeBinding = ({ publishers, advertisers }: Scope): ScopeBinding => ({
  publishers: publishers && [...publishers],
  advertisers: advertisers && [...advertisers],
});

const anyOf = (conditions: readonly string[]): string => (conditions.length > 0 ? `(${conditions.join(' or ')})` : 'false');

/** SQL: what is in a column is in the scope. */
export const isAmong = (ids: keyof Scope, column: string, scope: Scope): string =>
  scope[ids] ? `${column} = any(cast(:${ids} as int[]))` : 'true';

/** SQL: a campaign is in the scope. @param fieldOf SQL of a field of it */
const isOwnedBy = (scope: Scope, fieldOf: (field: string) => string): string =>
  `(${isAmong('publishers', fieldOf('publisher_id'), scope)} and ${isAmong('advertisers', fieldOf('advertiser_id'), scope)})`;

/** SQL: a row of `table` is in the scope: its callers may change it. */
export const isOwned = (table: EntityTable, scope: Scope): string => {
  if (table === 'publishers') return scope.advertisers ? 'false' : isAmong('publishers', 'id', scope);
  if (table === 'campaigns') return isOwnedBy(scope, (field) => field);
  const owner = ownerOf(ENTITY_KINDS[table]);
  if (!owner) return isLimited(scope) ? 'false' : 'true';
  if (owner.table === 'publishers') return scope.advertisers ? 'false' : isAmong('publishers', owner.field, scope);
  return `${owner.field} in (select id from ${owner.table} where ${isOwned(owner.table, scope)})`;
};

/** SQL: what a row of `deleted_records` keeps of `table` was in the scope, and what it belongs to is. */
export const wasOwned = (table: EntityTable, scope: Scope): string => {
  const ofRow = (field: string): string => `cast(row ->> '${field}' as int)`;
  if (table === 'publishers') return scope.advertisers ? 'false' : isAmong('publishers', 'cast(record_id as int)', scope);
  const owner = ownerOf(ENTITY_KINDS[table]);
  if (!owner) return isLimited(scope) ? 'false' : 'true';
  if (table === 'campaigns') return isOwnedBy(scope, ofRow);
  if (owner.table === 'publishers') return scope.advertisers ? 'false' : isAmong('publishers', ofRow(owner.field), scope);
  return isLimited(scope) ? `${ofRow(owner.field)} in (select id from ${owner.table} where ${isOwned(owner.table, scope)})` : 'true';
};

/** SQL: a record of the scope names a row of `table`. */
const isNamed = (table: EntityTable, scope: Scope): string => {
  const ways = ENTITY_TABLES.flatMap((other) => {
    const fields = Object.entries(entityOf(other).fields).flatMap(([name, field]) => {
      const column = columnOf(name, field);
      if (field.parent !== table || column === null) return [];
      return [field.schema['type'] === 'array' ? `unnest(${column})` : column];
    });
    const listed = ENTITY_KINDS[other].parents.flatMap(({ table: parent, list }) =>
      parent === table && list ? [`unnest(${list.more})`] : [],
    );
    const owned = isOwned(other, scope);
    return owned === 'false' ? [] : [...fields, ...listed].map((ids) => `id in (select ${ids} from ${other} where ${owned})`);
  });
  return anyOf(ways);
};

/**
 * SQL: who has this scope sees a row of `table`: it is in the scope, it is open to all publishers, or it
 * belongs to none and a record of the scope names it. With advertisers in the scope, publishers and
 * placements are seen where a booking names them, the advertisers themselves, and no bidders.
 */
export const isVisible = (table: EntityTable, scope: Scope): string => {
  if (!isLimited(scope)) return 'true';
  if (table === 'advertisers') return scope.advertisers ? isAmong('advertisers', 'id', scope) : isNamed(table, scope);
  if (table === 'bidders') return scope.advertisers ? 'false' : isNamed(table, scope);
  if (!isForAllAdvertisers(ENTITY_KINDS[table])) return isOwned(table, scope);
  if (scope.advertisers) return isNamed(table, scope);
  return anyOf([isOwned(table, scope), ...(table === 'placements' ? ['publisher_id is null'] : [])]);
};

/** Leaves the rows of a query that are seen in a scope. */
export const onlyVisible = (query: Knex.QueryBuilder, table: EntityTable, scope: Scope): Knex.QueryBuilder =>
  isLimited(scope) ? query.whereRaw(isVisible(table, scope), { ...scopeBinding(scope) }) : query;

/** The ids that are seen in a scope, of some. Rejects when Postgres is unavailable. */
export const visibleIds = async (knex: Knex, table: EntityTable, scope: Scope, ids: readonly number[]): Promise<readonly number[]> => {
  if (!isLimited(scope)) return ids;
  const rows = await onlyVisible(knex(table).whereIn('id', ids), table, scope).select<{ id: number }[]>('id');
  const known = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => known.has(id));
};

/** Whether a caller reaches the record whose id is the first step of a path of the API: `/api/campaigns/{id}/comments`. */
export const createRecordReach =
  ({ knex }: { readonly knex: Knex }): RecordReach =>
  async ({ path, method, asks, reach }, caller, id) => {
    const table = ENTITY_TABLES.find((one) => path.startsWith(`/api/${one}/{id}`));
    // A deleted record is looked for among those of the scope (restore-deleted.ts).
    const isElsewhere = reach === 'any' || reach === undefined || table === undefined || path.endsWith('/restore');
    if (!isLimited(caller) || isElsewhere) return undefined;
    const kind = ENTITY_KINDS[table];
    const row = await onlyVisible(knex(table).where({ id: id as string | number }), table, caller)
      .select(knex.raw(`${isOwned(table, caller)} as owned`, { ...scopeBinding(caller) }))
      .first<{ owned: boolean | null } | undefined>();
    if (!row) return noSuch(kind.words);
    if (row.owned === true || method === 'GET' || asks) return undefined;
    return refuse('forbidden', `The ${kind.words} is shared with others, and your access is for a part.`);
  };
