import { type Schema, record } from '../base/schema.ts';

/**
 * The fields of an answer that is made from a `Source`: each with its OpenAPI schema and the
 * function that reads it. The answer, its type and its schema are derived from one such list.
 */
export type Columns<Source> = Readonly<Record<string, { readonly schema: Schema; readonly of: (source: Source) => unknown }>>;

/** What `show` makes of a list of columns. */
export type Shown<C> = { readonly [Name in keyof C]: C[Name] extends { of(source: never): infer Value } ? Value : never };

/** The answer for one source, its fields in the order of the list. */
export const show = <Source, C extends Columns<Source>>(columns: C, source: Source): Shown<C> => {
  // A loop, because a page of a report has hundreds of rows.
  const shown: Record<string, unknown> = {};
  for (const name in columns) shown[name] = columns[name]?.of(source);
  return shown as Shown<C>;
};

/** A stored moment in an answer. */
export const momentOf = (at: Date | null): string | null => at?.toISOString() ?? null;

/** The schema of what `show` returns. */
export const schemaOf = <C extends Columns<never>>(columns: C) =>
  record(
    Object.fromEntries(Object.entries(columns).map(([name, { schema }]) => [name, schema])) as {
      readonly [Name in keyof C]: C[Name]['schema'];
    },
  );
