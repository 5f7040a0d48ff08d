import { valueFault } from './dimension-schema.ts';
import type { DimensionSchema } from './dimension-schema.ts';
import { pointerStep } from '../base/fault.ts';
import type { Fault } from '../base/fault.ts';

export interface DimensionCheck {
  /** Where `values` stands in the document, as a JSON pointer. */
  readonly pointer: string;
  /** A request mixes dimensions with free key-values, so a name outside the schema is left alone; a line item's dimensions may not. */
  readonly unregistered: 'allowed' | 'refused';
}

/**
 * The one check of registered dimensions, for requests (`ext.kv`) and line items (`targeting.dimensions`) alike. A value is a scalar or a
 * list of scalars of exactly the registered type: "18" is no integer. Every fault is listed.
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
      const detail = valueFault(dimension, given);
      if (detail !== undefined) faults.push({ pointer: at(), detail });
      continue;
    }
    for (const [i, value] of given.entries()) {
      const detail = valueFault(dimension, value);
      if (detail !== undefined) faults.push({ pointer: at() + pointerStep(i), detail });
    }
  }
  return faults;
};
