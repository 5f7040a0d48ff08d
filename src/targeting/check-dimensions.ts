import { valueFault, valueOf, type Dimension, type DimensionSchema } from './dimension-schema.ts';
import { pointerStep, type Fault } from '../base/fault.ts';
import { isObject } from '../base/narrow.ts';

export interface DimensionCheck {
  /** JSON pointer of `values` in the document. */
  readonly pointer: string;
  /**
   * A request, like the key-values of a line item, mixes dimensions with free names, so names outside the
   * schema are allowed; in a line item's dimensions they are refused.
   */
  readonly unregistered: 'allowed' | 'refused';
}

/**
 * Checks registered dimensions, for requests (`ext.kv`) and line items (`targeting.dimensions`,
 * `targeting.key_values`) alike. A value is a scalar or a list of scalars in a spelling of `valueOf`.
 * Returns every fault.
 */
export const checkDimensions = (
  schema: DimensionSchema,
  values: Readonly<Record<string, unknown>>,
  { pointer, unregistered }: DimensionCheck,
): Fault[] => {
  const faults: Fault[] = [];
  for (const [name, given] of Object.entries(values)) {
    const dimension = schema.get(name);
    const at = () => pointer + pointerStep(name);
    if (dimension === undefined) {
      if (unregistered === 'refused') faults.push({ pointer: at(), detail: 'is not a registered dimension' });
      continue;
    }
    if (!Array.isArray(given)) {
      const detail = targetedFault(dimension, given);
      if (detail !== undefined) faults.push({ pointer: at(), detail });
      continue;
    }
    for (const [i, value] of given.entries()) {
      const detail = targetedFault(dimension, value);
      if (detail !== undefined) faults.push({ pointer: at() + pointerStep(i), detail });
    }
  }
  return faults;
};

/** The fault of a scalar, a range or a prefix; a request has only scalars. */
const targetedFault = (dimension: Dimension, value: unknown): string | undefined => {
  if (!isObject(value) || !['prefix', 'min', 'max'].some((name) => name in value)) return valueFault(dimension, value);
  const { type, values } = dimension;
  const { prefix, min, max } = value;
  if (prefix !== undefined) {
    if (type !== 'string') return `must not be a prefix: ${dimension.name} is ${type === 'integer' ? 'an' : 'a'} ${type}`;
    return values === null || values.some((one) => String(one).startsWith(prefix as string))
      ? undefined
      : `must begin one of ${values.join(', ')}`;
  }
  if (type !== 'number' && type !== 'integer') return `must not be a range: ${dimension.name} is a ${type}`;
  return [min, max].flatMap((end) => (end === undefined ? [] : (valueFault({ ...dimension, values: null }, end) ?? [])))[0];
};

/** With the values of registered dimensions in their types; the same object where they are. */
export const withDimensionTypes = <Values extends Readonly<Record<string, unknown>>>(schema: DimensionSchema, values: Values): Values => {
  const changed = Object.entries(values).flatMap(([name, given]): (readonly [string, unknown])[] => {
    const dimension = schema.get(name);
    if (dimension === undefined) return [];
    const all: readonly unknown[] = [given].flat();
    const typed = all.map((value) => valueOf(dimension, value));
    return typed.every((value, i) => value === all[i]) ? [] : [[name, Array.isArray(given) ? typed : typed[0]]];
  });
  return changed.length === 0 ? values : { ...values, ...Object.fromEntries(changed) };
};
