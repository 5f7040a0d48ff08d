import type { Scope } from '../access/scope.ts';
import { ENTITY_KINDS, ownerOf, type EntityKind } from './entity-kind.ts';
import { isAmong, isOwned } from './record-scope.ts';

/**
 * SQL: a line of the audit trail is seen in a scope. It is about a record of the scope, which exists, and what
 * the record was before and after was in the scope, too: it may have been moved, and its id may have been another's.
 */
const isVisibleOf = (kind: EntityKind, scope: Scope): string => {
  const { table, name } = kind;
  const owner = ownerOf(kind);
  const fieldOf = (record: string, field: string): string => `cast(${record} ->> '${field}' as int)`;
  const belonged = (record: string): readonly string[] => [
    ...(owner ? [`${fieldOf(record, owner.field)} in (select id from ${owner.table} where ${ownerSql(owner.table, scope)})`] : []),
    ...(table === 'campaigns' ? [isAmong('advertisers', fieldOf(record, 'advertiser_id'), scope)] : []),
  ];
  const was = ['before', 'after'].flatMap((record) => belonged(record).map((sql) => `(${record} is null or coalesce(${sql}, false))`));
  const exists = `entity_id in (select cast(id as text) from ${table} where ${isOwned(table, scope)})`;
  return `(${[`entity = '${name}'`, exists, ...was].join(' and ')})`;
};

/** Publishers belong to callers for all of their advertisers alone, and are named by the campaigns of others. */
const ownerSql = (table: EntityKind['table'], scope: Scope): string =>
  table === 'publishers' ? isAmong('publishers', 'id', scope) : isOwned(table, scope);

/** Publishers, and what belongs to them. */
const OWNED = Object.values(ENTITY_KINDS).filter((kind) => kind.table === 'publishers' || ownerOf(kind));

/** SQL, with the bindings of the scope, which is limited. */
export const isVisibleChange = (scope: Scope): string => `(${OWNED.map((kind) => isVisibleOf(kind, scope)).join(' or ')})`;
