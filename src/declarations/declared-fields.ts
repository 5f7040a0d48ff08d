import { entityOf, type EntityTable } from '../catalog/entities/entities.ts';
import { ENTITY_KINDS, type EntityRecord } from '../bookings/entity-kind.ts';
import type { Schema } from '../base/schema.ts';

/** A field of a record as a declaration has it: what it refers to is named by its key. */
export interface DeclaredField {
  /** In the trafficking API. */
  readonly field: string;
  /** In a declaration: `advertiser` of `advertiser_id`. */
  readonly name: string;
  readonly schema: Schema;
  /** The table that its value, or each of its values, is a row of. */
  readonly refersTo: EntityTable | undefined;
  readonly isList: boolean;
}

/** What a record is a part of; a declaration has it within that. */
export const OWNERS: Readonly<Partial<Record<EntityTable, EntityTable>>> = {
  placements: 'publishers',
  targetings: 'publishers',
  campaigns: 'publishers',
  line_items: 'campaigns',
  creatives: 'line_items',
};

/** The order in which records are written: each after what it refers to. */
export const WRITE_ORDER: readonly EntityTable[] = [
  'advertisers',
  'bidders',
  'publishers',
  'placements',
  'targetings',
  'campaigns',
  'line_items',
  'creatives',
];

/** The lists of a declaration, in their order. */
export const TOP_LISTS = WRITE_ORDER.filter((table) => table !== 'publishers' && (OWNERS[table] ?? 'publishers') === 'publishers');

/** The table whose records a declaration has within one of `table`. */
export const partOf = (table: EntityTable): EntityTable | undefined =>
  table === 'publishers' ? undefined : WRITE_ORDER.find((other) => OWNERS[other] === table);

/** The field that names what a record is a part of. */
export const ownerField = (table: EntityTable): string | undefined => {
  const owner = OWNERS[table];
  return owner && ENTITY_KINDS[owner].reference;
};

const fieldsOf = (table: EntityTable): readonly DeclaredField[] => {
  const { fields } = entityOf(table);
  const { sealed, parents, namedByClient } = ENTITY_KINDS[table];
  const short = parents.filter(({ list }) => list).map(({ field }) => field);
  const left = ['external_key', ownerField(table), sealed?.column, ...short, ...(namedByClient ? [] : ['id'])];
  return Object.entries(fields).flatMap(([field, { schema, parent }]) => {
    if (left.includes(field)) return [];
    const isList = schema['type'] === 'array';
    const reference = field.replace(/_ids?$/, isList ? 's' : '');
    // A line item has a targeting, and may name one.
    const name = !parent ? field : reference in fields ? `named_${reference}` : reference;
    return [{ field, name, schema, refersTo: parent as EntityTable | undefined, isList }];
  });
};

/** The declared fields of each table. Secrets are not among them: they stay as they are. */
export const DECLARED_FIELDS = Object.fromEntries(WRITE_ORDER.map((table) => [table, fieldsOf(table)])) as Readonly<
  Record<EntityTable, readonly DeclaredField[]>
>;

/** The key of a record that is referred to: its external key, or its id where it has none. */
export type Named = (table: EntityTable, id: unknown) => string | number;

/** @param keys by table and id, such as `campaigns 5` */
export const namedBy =
  (keys: ReadonlyMap<string, string>): Named =>
  (table, id) =>
    ENTITY_KINDS[table].namedByClient ? String(id) : (keys.get(`${table} ${String(id)}`) ?? (id as number));

/** A record of the API as a declaration has it, without values that are the default. */
export const declaredOf = (table: EntityTable, record: EntityRecord, named: Named): Readonly<Record<string, unknown>> => {
  const key = record['external_key'];
  const own = ENTITY_KINDS[table].namedByClient ? {} : typeof key === 'string' ? { key } : { id: record['id'] };
  const values = DECLARED_FIELDS[table].flatMap(({ field, name, schema, refersTo, isList }) => {
    const value = record[field];
    if (value === undefined || ('default' in schema && JSON.stringify(value) === JSON.stringify(schema['default']))) return [];
    if (refersTo === undefined || value === null) return [[name, value] as const];
    return [[name, isList ? (value as readonly unknown[]).map((id) => named(refersTo, id)) : named(refersTo, value)] as const];
  });
  const more = ENTITY_KINDS[table].namedByClient && typeof key === 'string' ? { key } : {};
  const open = table === 'placements' && record['publisher_id'] === null ? { open: true } : {};
  return { ...own, ...Object.fromEntries(values), ...more, ...open };
};
