import { Optional, Unsafe, type Static, type TObject, type TProperties, type TUnsafe } from '@sinclair/typebox';
import type { Schema, Shape } from '../base/schema.ts';

/** A named schema of the OpenAPI document, and an example of it. */
export interface Component {
  readonly name: string;
  readonly schema: Schema;
  readonly example: unknown;
}

/** A reference to a component, which carries it: the document holds the components that its routes refer to. */
const COMPONENT = Symbol('component');

/**
 * Gives a schema a name in the OpenAPI document and an example, which the API page shows, tests
 * validate and generated clients are tried with. Returns the reference to it.
 */
export const component = <S extends Schema>(name: string, schema: S, example?: Shape<S>): TUnsafe<Static<S>> =>
  Unsafe({ $ref: `#/components/schemas/${name}`, [COMPONENT]: { name, schema, example } satisfies Component });

/**
 * A record that clients send, and that answers show with further members. A client may send those
 * back: they are ignored.
 */
export const recordComponent = <S extends TObject, A extends TProperties>(
  name: string,
  sent: S,
  answered: A,
  example: Shape<S>,
): { readonly sent: TUnsafe<Static<S>>; readonly answered: TUnsafe<Static<S> & Static<TObject<A>>> } => {
  const added = Object.fromEntries(Object.entries(answered).map(([member, schema]) => [member, Optional({ ...schema, readOnly: true })]));
  const reference = component(name, { ...sent, properties: { ...sent.properties, ...added } }, example);
  return { sent: Unsafe(reference), answered: Unsafe(reference) };
};

/** The component that a schema refers to. */
export const componentOf = (schema: object): Component | undefined => (schema as { readonly [COMPONENT]?: Component })[COMPONENT];

/** All components inside a value, by name. */
export const componentsIn = (value: unknown, found = new Map<string, Component>()): ReadonlyMap<string, Component> => {
  if (typeof value !== 'object' || value === null) return found;
  const named = componentOf(value);
  if (named && !found.has(named.name)) {
    found.set(named.name, named);
    componentsIn(named.schema, found);
  }
  for (const member of Object.values(value)) componentsIn(member, found);
  return found;
};

/** The members of a record that only answers have. */
export const answeredMembers = (schema: object): readonly string[] => {
  const { properties = {} } = (componentOf(schema)?.schema ?? schema) as { readonly properties?: Readonly<Record<string, Schema>> };
  return Object.keys(properties).filter((member) => properties[member]?.['readOnly'] === true);
};

/** A schema with what it refers to in place of the references, and without what only answers have: for ajv. */
export const checkedSchema = (schema: object): object => withoutReferences(schema) as object;

const withoutReferences = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(withoutReferences);
  if (typeof schema !== 'object' || schema === null) return schema;
  const named = componentOf(schema);
  if (named) return withoutReferences(named.schema);
  const members = Object.entries(schema).filter(([, member]) => (member as { readonly readOnly?: unknown } | null)?.readOnly !== true);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutReferences(member)]));
};

/** The example of a body: that of its component, or a list of one. undefined: it has none. */
export const exampleOf = (schema: Schema): unknown => {
  const named = componentOf(schema);
  if (named) return named.example;
  const { items } = schema;
  return items === undefined ? undefined : [exampleOf(items as Schema)];
};
