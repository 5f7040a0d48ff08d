import type { Schema, Shape } from '../../base/schema.ts';
import type { Choices } from '../model/choices.ts';
import type { FormWords } from './form-description.ts';

/** How a value of the API is stored where a column does not hold it as it is (postgres/rows.ts). */
export type Stored = 'micros' | 'bigint' | 'start' | 'end' | 'json' | 'sealed';

/** Kinds of columns in shared memory (columns/kinds.ts), with the values that each can hold. */
export interface KindValues {
  /** The first integer of a row, and the second: tables are searched by them. */
  readonly id: number;
  readonly owner: number;
  readonly integer: number;
  readonly integerOrNull: number | null;
  readonly number: number;
  readonly numberOrNull: number | null;
  readonly flag: boolean;
  readonly text: string;
  readonly textOrNull: string | null;
  /** One of the enumeration of the schema, or of `choices`. */
  readonly oneOf: string | number | null;
  readonly json: unknown;
  readonly repeated: unknown;
}
export type KindName = keyof KindValues;

/**
 * One field of an entity. Its record, JSON schema, row, column in shared memory, view, form, list
 * and OpenAPI description are derived from it, by its name in the API.
 */
export interface Field {
  /** Of its values in the API: decimal amounts, RFC 3339 dates. A field without a default is required. */
  readonly schema: Schema;
  /** Absent in a record that was not stored yet (`generated`) or is filled in from another field (`implied`). */
  readonly absent?: 'generated' | 'implied';
  readonly stored?: Stored;
  /** Default: the name, with `_micros` for amounts. null: no column. */
  readonly column?: string | null;
  /**
   * Its member of the entity, the kind of that member's column, and what it is where the record has
   * null. Absent: the entity does not have it, or combines it with others (snapshot/to-entities.ts).
   */
  readonly view?: readonly [member: string, kind: KindName, orElse?: string | number];
  /** Only line items of this type have it: the form hides it from others, and their entities do without. */
  readonly only?: 'direct' | 'programmatic';
  /** Of an amount; 6 by default. */
  readonly decimals?: number;
  /** The kind of record that it names. */
  readonly parent?: string;
  /** When it stops being editable: with its creation, or once the record may have been served. */
  readonly fixed?: 'at creation' | 'once served';
  readonly choices?: Choices;
  readonly form?: FormWords;
  /** Of an object: the fields of its form. */
  readonly members?: Members;
}

/** A property of an object, stored with it. */
export interface Member extends Pick<Field, 'choices' | 'members'> {
  readonly schema: Schema;
  readonly form: FormWords;
}
export type Members = Readonly<Record<string, Member>>;
export type Fields = Readonly<Record<string, Field>>;

/** Keeps the literal types of a field that several definitions share. */
export const field = <const F extends Field>(definition: F): F => definition;

type Value<F extends Field> = Shape<F['schema']>;
type IsGenerated<F extends Field> = F extends { readonly absent: 'generated' } ? true : false;

/** A checked record with its defaults, as the API has it. */
export type RecordOf<F extends Fields> = {
  readonly [K in keyof F as IsGenerated<F[K]> extends true ? never : K]: Value<F[K]>;
} & {
  readonly [K in keyof F as IsGenerated<F[K]> extends true ? K : never]?: Value<F[K]>;
};

type Viewed = { readonly view: readonly [string, KindName, unknown?] };
type MemberName<F> = F extends Viewed ? F['view'][0] : never;
type MemberValue<F extends Field> = F extends { readonly view: readonly [string, KindName, infer Else] }
  ? Exclude<Value<F>, null> | Else
  : Value<F>;

/** The members of an entity that each come from one field. */
export type MembersOf<F extends Fields> = { readonly [K in keyof F as MemberName<F[K]>]: MemberValue<F[K]> };

/** Refuses a field whose kind of column cannot hold its values. */
export type Fitting<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Viewed
    ? MemberValue<F[K]> extends KindValues[F[K]['view'][1]]
      ? unknown
      : { readonly view: 'this kind of column does not hold the values of the schema' }
    : unknown;
};

/** A record whose fields have not been checked. */
export type Loose<R> = { readonly [K in keyof R]-?: unknown };
