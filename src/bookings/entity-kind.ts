import { readId } from '../api/parameters.ts';
import { CHECKS } from '../catalog/checks/check-entities.ts';
import type { PlacementFormats } from '../catalog/checks/rules.ts';
import type { Checked, CheckedOn } from '../catalog/checks/shape-record.ts';
import type { RecordSchema } from '../catalog/entities/define-entity.ts';
import { entityOf, perTable, type EntityTable } from '../catalog/entities/entities.ts';
import { HEADER_PURPOSE } from '../catalog/model/bidder-of.ts';
import type { CatalogRow } from '../catalog/model/catalog-reading.ts';
import { ROWS } from '../catalog/postgres/rows.ts';
import type { Schema } from '../base/schema.ts';
import type { DimensionSchema } from '../targeting/dimension-schema.ts';

/** A record as the API accepts and returns it. */
export type EntityRecord = Readonly<Record<string, unknown>>;

export interface CheckContext extends CheckedOn {
  readonly dimensions: DimensionSchema;
  readonly placements: readonly PlacementFormats[];
}

/** Changes that are not a plain edit of a field: POST /api/<table>/{id}/<action>. */
export const ENTITY_ACTIONS = ['rotate_key', 'approve', 'reject', 'block', 'unblock', 'duplicate', 'make_good', 'restore'] as const;
export type EntityAction = (typeof ENTITY_ACTIONS)[number];

/** A column whose members are sealed before they are stored. */
export interface SealedColumn {
  readonly column: string;
  /** What receives the secrets. When it changes, they have to be entered again, or a change would reveal them. */
  readonly boundTo: (row: CatalogRow) => string;
}

/** A record may refer to several rows of a parent: to the first by the usual field. */
export interface ParentList {
  /** The field that lists all of them. */
  readonly field: string;
  /** The column of all but the first. */
  readonly more: string;
}

/** What the definition of an entity's fields does not say. */
interface Manners {
  readonly actions?: readonly EntityAction[];
  readonly sealed?: SealedColumn;
  /** SQL for the bytes of a row. Default: a row of short columns. */
  readonly rowBytes?: string;
}

/** One of the entities, as the routes, the store and the OpenAPI document need it. */
export interface EntityKind {
  /** Also its path under /api. */
  readonly table: EntityTable;
  /** Singular, as the audit trail stores it: `line_item`. */
  readonly name: string;
  /** The name as words of a message: `line item`. */
  readonly words: string;
  /** The column by which other tables refer to it: `line_item_id`. */
  readonly reference: string;
  readonly schema: RecordSchema<unknown>;
  /** Fields that answers add to the schema. They are ignored when a client sends a record back. */
  readonly readOnly: Readonly<Record<string, Schema>>;
  /** Whether the client chooses the id, which is then a string. */
  readonly namedByClient: boolean;
  /** Tables that a record refers to, each by the id of one row, its owner last. */
  readonly parents: readonly Parent[];
  readonly actions: readonly EntityAction[];
  readonly sealed: SealedColumn | undefined;
  readonly rowBytes: string;
  readonly check: (input: unknown, context: CheckContext) => Checked<object>;
  readonly toRow: (record: never) => CatalogRow;
  readonly toRecord: (row: CatalogRow) => EntityRecord;
}

interface Parent {
  readonly field: string;
  readonly table: EntityTable;
  readonly list: ParentList | undefined;
  /** It cannot change once the record may have been served. */
  readonly isFixed: boolean;
}

/** A record without its long columns, typically. */
const SHORT_ROW_BYTES = 512;
const BLOCK_LIST_BYTES = 'octet_length(badv::text) + octet_length(bcat::text)';

const MANNERS: Readonly<Partial<Record<EntityTable, Manners>>> = {
  publishers: { actions: ['rotate_key'], rowBytes: `${SHORT_ROW_BYTES} + ${BLOCK_LIST_BYTES} + octet_length(acat::text)` },
  bidders: {
    sealed: { column: HEADER_PURPOSE, boundTo: ({ endpoint }) => new URL(String(endpoint)).origin },
    rowBytes: `${SHORT_ROW_BYTES} + octet_length(params::text) + octet_length(ads_txt::text) + ${BLOCK_LIST_BYTES}`,
  },
  campaigns: { actions: ['duplicate'] },
  line_items: { actions: ['make_good'], rowBytes: `${SHORT_ROW_BYTES} + octet_length(targeting::text)` },
  creatives: { actions: ['approve', 'reject', 'block', 'unblock'], rowBytes: `${SHORT_ROW_BYTES} + octet_length(content)` },
};

const parentsOf = (table: EntityTable): readonly Parent[] => {
  const fields = Object.entries(entityOf(table).fields).flatMap(([field, { parent, schema, column, fixed }]) =>
    parent ? [{ field, table: parent as EntityTable, isList: schema['type'] === 'array', column, isFixed: fixed === 'once served' }] : [],
  );
  const listed = fields.filter(({ isList, column }) => isList && column === null);
  return fields
    .filter(({ isList }) => !isList)
    .sort((a, b) => Number(a.isFixed) - Number(b.isFixed))
    .map(({ field, table: parent, isFixed }) => {
      const list = listed.find((each) => each.table === parent);
      return { field, table: parent, isFixed, list: list && { field: list.field, more: `more_${list.field}` } };
    });
};

const kindOf = (table: EntityTable): EntityKind => {
  const { one, schema, answered, columns } = entityOf(table);
  const { actions = [], sealed, rowBytes = String(SHORT_ROW_BYTES) } = MANNERS[table] ?? {};
  const { toRecord } = ROWS[table];
  const added = Object.keys(answered).filter((name) => columns.includes(name));
  return {
    table,
    name: one.replaceAll(' ', '_'),
    words: one,
    reference: `${one.replaceAll(' ', '_')}_id`,
    schema,
    readOnly: answered,
    namedByClient: schema.properties['id']?.['type'] === 'string',
    parents: parentsOf(table),
    actions: [...actions, 'restore'],
    sealed,
    rowBytes,
    check: CHECKS[table],
    toRow: ROWS[table].toRow,
    toRecord: (row) => ({ ...toRecord(row), ...Object.fromEntries(added.map((name) => [name, row[name] ?? null])) }),
  };
};

export const ENTITY_KINDS = perTable(kindOf);

/** The parent that decides whose a record is; undefined: it belongs to no publisher. */
export const ownerOf = ({ parents }: EntityKind): Parent | undefined => parents.at(-1);

/** A publisher, and what it has for all of its advertisers. */
export const isForAllAdvertisers = (kind: EntityKind): boolean =>
  kind.table === 'publishers' || (ownerOf(kind)?.table === 'publishers' && !kind.parents.some(({ table }) => table === 'advertisers'));

/** The id of a path as the table stores it; undefined: no record can have this id. */
export const readEntityId = ({ namedByClient }: EntityKind, text: string): string | number | undefined =>
  namedByClient ? text : readId(text);

/**
 * SQL conditions, one per parent, under which a row of `table` belongs to the row `:id` of `ancestor`,
 * directly or through its parents. `only`: it is deleted with it. Empty when it cannot belong to it.
 */
export const belongsTo = (table: EntityTable, ancestor: EntityTable, only = false): readonly string[] =>
  ENTITY_KINDS[table].parents.flatMap(({ field, table: parent, list }) => {
    const alone = only && list ? ` and ${list.more} = '{}'` : '';
    if (parent === ancestor) return [list && !only ? `(${field} = :id or :id = any(${list.more}))` : `(${field} = :id${alone})`];
    const through = belongsTo(parent, ancestor, only);
    return through.length === 0 ? [] : [`(${field} in (select id from ${parent} where ${through.join(' or ')})${alone})`];
  });

/**
 * The SQL condition under which a row of `table` is archived: itself, or with what it belongs to. A
 * creative belongs to its line item; a placement of it may be archived without it.
 */
export const isArchived = (table: EntityTable): string => {
  const owners = table === 'creatives' ? ENTITY_KINDS.creatives.parents.slice(-1) : ENTITY_KINDS[table].parents;
  const through = owners.map(
    ({ field, table: parent }) => `coalesce(${field} in (select id from ${parent} where ${isArchived(parent)}), false)`,
  );
  return ['archived', ...through].join(' or ');
};

/** The entities that a list can be filtered by: its parents and their parents. */
export const ancestorsOf = ({ table }: EntityKind): readonly EntityKind[] =>
  Object.values(ENTITY_KINDS).filter((other) => belongsTo(table, other.table).length > 0);
