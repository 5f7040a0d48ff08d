import { ENTITY_KINDS, type EntityKind } from '../entities/entity-kind.ts';
import { count, ref, type Schema } from './schema.ts';

/** `line_items` → `LineItems`, `rotate_key` → `RotateKey`. */
export const pascalCase = (name: string): string => name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A reference to the schema of an entity. */
export const entityRef = ({ name }: EntityKind): Schema => ref(pascalCase(name));

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
    },
  };
};

/** The records of the catalog. */
export const ENTITY_SCHEMAS: Readonly<Record<string, Schema>> = {
  ...Object.fromEntries(Object.values(ENTITY_KINDS).map((kind) => [pascalCase(kind.name), entitySchema(kind)])),
  Counts: { type: 'object', description: 'Number of records that a deletion would also delete, by table', additionalProperties: count },
};
