import { ENTITY_KINDS, type EntityKind } from '../../bookings/entity-kind.ts';
import { count, ref, type Schema } from '../../api/schema.ts';

/** `line_items` → `LineItems`, `rotate_key` → `RotateKey`. */
export const pascalCase = (name: string): string => name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A reference to the schema of an entity. */
export const entityRef = ({ name }: EntityKind): Schema => ref(pascalCase(name));

/** A reference to the schema of a merge patch of an entity. */
export const changeRef = ({ name }: EntityKind): Schema => ref(`${pascalCase(name)}Change`);

/** The schema that checks a record, with the fields that answers add to it. */
const entitySchema = ({ schema, readOnly, namedByClient }: EntityKind): Schema => {
  const { id, ...properties } = schema.properties as Readonly<Record<string, Schema>>;
  const ownId = namedByClient ? id : { ...id, readOnly: true };
  const added = Object.entries(readOnly).map(([name, property]) => [name, { ...property, readOnly: true }] as const);
  return {
    ...schema,
    properties: {
      ...(ownId ? { id: ownId } : {}),
      ...properties,
      ...Object.fromEntries(added),
      counts: { ...ref('Counts'), readOnly: true },
      children: { ...ref('Counts'), readOnly: true },
    },
  };
};

/** A merge patch of a record: null resets a field to its default. */
const changeSchema = (kind: EntityKind): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    Object.entries(entitySchema(kind)['properties'] as Readonly<Record<string, Schema>>).map(([name, property]) => [
      name,
      orNullToo(property),
    ]),
  ),
});

const orNullToo = ({ default: _, ...schema }: Schema): Schema =>
  [schema['type']].flat().includes('null') ? schema : { anyOf: [schema, { type: 'null' }] };

/** The records of the catalog. */
export const ENTITY_SCHEMAS: Readonly<Record<string, Schema>> = {
  ...Object.fromEntries(Object.values(ENTITY_KINDS).map((kind) => [pascalCase(kind.name), entitySchema(kind)])),
  ...Object.fromEntries(Object.values(ENTITY_KINDS).map((kind) => [`${pascalCase(kind.name)}Change`, changeSchema(kind)])),
  Counts: {
    type: 'object',
    description:
      'Numbers of records by table: `counts`, those that a deletion would also delete; `children`, those that belong to it directly',
    additionalProperties: count,
  },
};
