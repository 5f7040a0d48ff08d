import { Unsafe } from '@sinclair/typebox';
import { component } from '../api/component.ts';
import { mapOf, count, type Schema } from '../base/schema.ts';
import { ENTITY_TABLES, type EntityTable } from '../catalog/entities/entities.ts';
import { ANSWERED_EXAMPLES, CHANGE_EXAMPLES } from './entity-examples.ts';
import { ENTITY_KINDS, type EntityKind, type EntityRecord } from './entity-kind.ts';

type JsonSchema = Readonly<Record<string, unknown>>;
type Properties = Readonly<Record<string, JsonSchema>>;

/** `line_items` → `LineItems`, `rotate_key` → `RotateKey`. */
export const pascalCase = (name: string): string => name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

const COUNTS = component(
  'Counts',
  mapOf(count, {
    description:
      'Numbers of records by table: `counts`, those that a deletion would also delete; `children`, those that belong to it directly',
  }),
);

/** The schema that checks a record, with the fields that answers add to it. */
const recordSchema = ({ schema, readOnly, namedByClient }: EntityKind): JsonSchema & { readonly properties: Properties } => {
  const { id, ...properties } = schema.properties as Properties;
  const ownId = namedByClient ? id : { ...id, readOnly: true };
  const added = Object.entries(readOnly).map(([name, property]) => [name, { ...property, readOnly: true }] as const);
  const counted = { ...COUNTS, readOnly: true };
  return {
    ...schema,
    properties: { ...(ownId && { id: ownId }), ...properties, ...Object.fromEntries(added), counts: counted, children: counted },
  };
};

/** A merge patch of a record: null resets a field to its default. */
const changeSchema = (kind: EntityKind): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(Object.entries(recordSchema(kind).properties).map(([name, property]) => [name, orNullToo(property)])),
});

const orNullToo = ({ default: _, ...schema }: JsonSchema): JsonSchema =>
  [schema['type']].flat().includes('null') ? schema : { anyOf: [schema, { type: 'null' }] };

const componentsOf = (kind: EntityKind) => {
  const name = pascalCase(kind.name);
  const named = (suffix: string, schema: JsonSchema, example: EntityRecord): Schema =>
    component(name + suffix, Unsafe<EntityRecord>(schema), example);
  return {
    record: Unsafe<EntityRecord>(named('', recordSchema(kind), ANSWERED_EXAMPLES[kind.table])),
    change: Unsafe<EntityRecord>(named('Change', changeSchema(kind), CHANGE_EXAMPLES[kind.table])),
  };
};

/** The record of each entity, and its merge patch, as components of the OpenAPI document. */
export const ENTITY_COMPONENTS = Object.fromEntries(ENTITY_TABLES.map((table) => [table, componentsOf(ENTITY_KINDS[table])])) as Readonly<
  Record<EntityTable, ReturnType<typeof componentsOf>>
>;
