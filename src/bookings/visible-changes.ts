import { ENTITY_KINDS, type EntityKind } from './entity-kind.ts';
import { isOwned } from './publisher-scope.ts';

/**
 * SQL: who may see `:publishers` only sees a line of the audit trail. It is about a record of theirs, which exists, and
 * what the record was before and after belonged to them, too: it may have been moved, and its id may have been another's.
 */
const isVisibleOf = ({ table, name, parents }: EntityKind): string => {
  const owner = parents.at(-1);
  const belonged = (record: string): string =>
    owner
      ? ` and (${record} ->> '${owner.field}' is null
              or ${record} ->> '${owner.field}' in (select cast(id as text) from ${owner.table} where ${isOwned(owner.table)}))`
      : '';
  return `(entity = '${name}' and entity_id in (select cast(id as text) from ${table} where ${isOwned(table)})${belonged('before')}${belonged('after')})`;
};

const OWNED = [ENTITY_KINDS.publishers, ENTITY_KINDS.placements, ENTITY_KINDS.campaigns, ENTITY_KINDS.line_items, ENTITY_KINDS.creatives];

export const IS_VISIBLE_CHANGE = `(${OWNED.map(isVisibleOf).join(' or ')})`;
