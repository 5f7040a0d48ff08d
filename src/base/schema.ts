import {
  Array as arrayOf,
  Boolean as booleanOf,
  Integer,
  Number as Numeric,
  Object as objectOf,
  Optional,
  String as stringOf,
  Unsafe,
  type SchemaOptions,
  type Static,
  type TProperties,
  type TSchema,
  type TUnsafe,
} from '@sinclair/typebox';

/**
 * The words in which this project describes values: JSON Schemas (2020-12) as TypeBox builds them.
 * A schema is plain JSON, which ajv compiles and OpenAPI shows, and the compiler knows the type of
 * its values. The functions are imported by name: the whole of TypeBox would add 46 kB to the page.
 * A module that describes requests or answers imports these words as `s`.
 */
export type Schema = TSchema;

/** The type of the values of a schema, read-only throughout. */
export type Shape<S extends Schema> = ReadOnly<Static<S>>;

/** A type of JSON, read-only throughout. */
export type ReadOnly<T> = T extends readonly (infer Item)[]
  ? readonly ReadOnly<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: ReadOnly<T[K]> }
    : T;

export const text = stringOf();
export const integer = Integer();
export const number = Numeric();
export const boolean = booleanOf();
export const count = Integer({ minimum: 0 });
/** Postgres's integer. */
export const MAX_ID = 2_147_483_647;
/** The number of a record. */
export const recordId = Integer({ minimum: 1, maximum: MAX_ID });
/** In the currency of the publisher. */
export const money = Numeric({ description: 'In the currency of the publisher' });
export const moment = stringOf({ format: 'date-time' });
export const day = stringOf({ format: 'date', description: 'UTC day' });
/** Any JSON value. */
export const anything: TUnsafe<unknown> = Unsafe({});
/** Any JSON object. */
export const anyObject = (more: SchemaOptions = {}): TUnsafe<Readonly<Record<string, unknown>>> =>
  Unsafe({ type: 'object', additionalProperties: true, ...more });
/** An object whose type says more than its schema. */
export const objectAs = <T extends object>(more: SchemaOptions = {}): TUnsafe<T> => Unsafe({ type: 'object', ...more });

/** `T`: the type of its values, where the document does not list them. */
export const textOf = <T extends string = string>(
  more: SchemaOptions & { readonly minLength?: number; readonly maxLength?: number; readonly pattern?: string } = {},
): TUnsafe<T> => Unsafe({ type: 'string', ...more });
export const numberOf = (
  more: SchemaOptions & { readonly minimum?: number; readonly exclusiveMinimum?: number; readonly maximum?: number },
) => Numeric(more);
export const integerOf = (more: SchemaOptions & { readonly minimum?: number; readonly maximum?: number }) => Integer(more);

export const listOf = <S extends Schema>(
  items: S,
  more: SchemaOptions & { readonly minItems?: number; readonly maxItems?: number; readonly uniqueItems?: boolean } = {},
) => arrayOf(items, more);

/** A schema in words of JSON Schema that the functions here do not have, with the type of its values. */
export const schemaFor = <T>(schema: SchemaOptions): TUnsafe<T> => Unsafe(schema);

/** An object whose members all have one schema, by any name. */
export const mapOf = <S extends Schema>(member: S, more: SchemaOptions = {}): TUnsafe<Record<string, Static<S>>> =>
  Unsafe({ type: 'object', additionalProperties: member, ...more });
export const countsByName = mapOf(count);

/** A text of a closed set. */
export const oneOf = <const T extends string>(values: readonly T[], more: SchemaOptions = {}): TUnsafe<T> =>
  Unsafe({ type: 'string', enum: values, ...more });

/** A value of the schema, which has one type, or null. */
export const orNull = <S extends Schema>(schema: S, more: SchemaOptions = {}): TUnsafe<Static<S> | null> =>
  Unsafe({ ...schema, ...more, type: [schema['type'], 'null'] });

/**
 * null, or a value of a schema that is a reference or a record.
 *
 * @param whenNull what null says
 */
export const nullOr = <S extends Schema>(schema: S, more: SchemaOptions = {}, whenNull?: string): TUnsafe<Static<S> | null> =>
  Unsafe({ anyOf: [{ type: 'null', ...(whenNull !== undefined && { description: whenNull }) }, schema], ...more });

/** A value of one of the schemas. */
export const anyOf = <S extends readonly Schema[]>(...schemas: S): TUnsafe<Static<S[number]>> => Unsafe({ anyOf: schemas });

/** A value of both schemas. */
export const bothOf = <A extends Schema, B extends Schema>(a: A, b: B): TUnsafe<Static<A> & Static<B>> => Unsafe({ allOf: [a, b] });

/** A member of a record that may be absent. */
export const optional = <S extends Schema>(schema: S) => Optional(schema);

/** A member that a client may leave out, and that has its default once the record was checked. */
export const withDefault = <S extends Schema>(schema: S, usual: Static<S>): TUnsafe<Static<S>> =>
  Optional(Unsafe<Static<S>>({ ...schema, default: usual }));

/** The same schema with a description. */
export const described = <S extends Schema>(schema: S, description: string): S => ({ ...schema, description });

/** An object with these members, and possibly others. */
export const record = <P extends TProperties>(properties: P, more: SchemaOptions = {}) => objectOf(properties, more);

/** An object with these members and no others: what a client sends. */
export const closedRecord = <P extends TProperties>(properties: P, more: SchemaOptions = {}) =>
  objectOf(properties, { ...more, additionalProperties: false });
