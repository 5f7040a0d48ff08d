import { schemaFor, type Schema } from '../../base/schema.ts';
import type { Field, Fields, Fitting, RecordOf } from './field.ts';

/** Fields that a form shows together. */
export interface Section<Name extends string = string> {
  readonly title: string;
  readonly text?: string;
  /** In the order of the form. An object is shown by its members. */
  readonly fields: readonly Name[];
}

/** The list of an entity, by the names of fields. A name that is no field has its SQL in bookings/list-fields.ts. */
export interface ListWords<Name extends string = string> {
  /** Shown as they are, beside what the page composes (admin/bookings/list-columns.ts). */
  readonly columns: readonly Name[];
  readonly searched: readonly string[];
  readonly sorted: readonly string[];
  /** Filters by the values of an enumeration. */
  readonly filtered?: readonly Name[];
  /** Set for many records at once. */
  readonly together?: readonly Name[];
}

interface Words<F extends Fields> {
  /** Its name for people: `line item`. */
  readonly one: string;
  readonly many: string;
  /** What its list shows, in a sentence. */
  readonly about: string;
  readonly list: ListWords<keyof F & string>;
  readonly sections: readonly Section<keyof F & string>[];
  /** Fields that only answers have, with their schemas. */
  readonly answered?: Readonly<Record<string, Schema>>;
  /** Columns that no single field is stored in. */
  readonly columns?: readonly string[];
}

/** An entity of the trafficking API: what its fields are, and what is derived from them. */
export interface Entity<F extends Fields = Fields> extends Required<Words<F>> {
  /** In the order of the schema. */
  readonly fields: F;
  /** JSON Schema (2020-12) of a record: the one source for the API, the catalog load and the page of the API. */
  readonly schema: RecordSchema<RecordOf<F>>;
}

export type RecordSchema<R> = ReturnType<typeof schemaFor<R>> & {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, Schema>>;
};

export const defineEntity = <const F extends Fields>({
  fields,
  answered = {},
  columns = [],
  ...words
}: Words<F> & { readonly fields: F & Fitting<F> }): Entity<F> => ({
  ...words,
  answered,
  columns,
  fields,
  schema: {
    ...schemaFor<RecordOf<F>>({ type: 'object' }),
    required: Object.entries<Field>(fields).flatMap(([name, { schema, absent }]) => (absent || 'default' in schema ? [] : [name])),
    additionalProperties: false,
    properties: Object.fromEntries(Object.entries<Field>(fields).map(([name, { schema }]) => [name, schema])),
  },
});
