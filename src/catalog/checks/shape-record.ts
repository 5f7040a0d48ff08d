import type { Fault } from '../../base/fault.ts';
import { isObject } from '../../base/narrow.ts';
import { madeLater } from '../../base/made-later.ts';
import { schemaCompiler } from '../../base/schema-compiler.ts';
import { schemaFaults } from '../../base/schema-faults.ts';
import type { Entity } from '../entities/define-entity.ts';
import type { Fields, RecordOf } from '../entities/field.ts';
import { canonicalSpelling } from './canonical-spelling.ts';
import { FORMAT_DETAILS, FORMAT_TESTS } from './formats.ts';

/**
 * The result of a check: the record in canonical spelling with its defaults filled in, or every
 * fault.
 */
export type Checked<T> = { readonly ok: true; readonly record: T } | { readonly ok: false; readonly faults: readonly Fault[] };

const ajv = schemaCompiler({
  allErrors: true,
  allowUnionTypes: true,
  useDefaults: true,
  formats: FORMAT_TESTS,
});

/** A record whose fields may be missing, and hold anything. */
export type Given<R> = { readonly [K in keyof R]?: unknown };

/** A load keeps what was booked before a rule was there; the next change of the record has to mend it. */
export interface CheckedOn {
  readonly isLoad?: boolean;
}

/** A record and the faults of its shape. While there are any, its fields may hold anything. */
export interface ShapedRecord<R> {
  readonly record: Given<R>;
  readonly faults: readonly Fault[];
}

/**
 * Makes a check of the shape of an entity's records. It validates a copy of the input in canonical
 * spelling and leaves the input unchanged.
 *
 * @param withDefaults fills in what another field decides, before the defaults of the schema
 */
export const shapeOf = <F extends Fields>({ schema }: Entity<F>, withDefaults = (record: Given<RecordOf<F>>) => record) => {
  const compiled = madeLater(() => ajv.compile(schema));
  const spelling = canonicalSpelling(schema);
  return (input: unknown): ShapedRecord<RecordOf<F>> => {
    if (!isObject(input)) return { record: {}, faults: [{ pointer: '', detail: 'must be a JSON object' }] };
    const record = withDefaults(spelling ? (spelling(input) as object) : { ...input });
    const validate = compiled();
    return { record, faults: validate(record) ? [] : schemaFaults(validate.errors, FORMAT_DETAILS) };
  };
};
