import { valueFault } from './dimension-schema.ts';
import type { DimensionSchema } from './dimension-schema.ts';
import { pointerStep } from '../base/fault.ts';
import type { Fault } from '../base/fault.ts';

export interface DimensionCheck {
  /** JSON pointer of `values` in the document. */
  readonly pointer: string;
  /**
   * A request mixes dimensions with free key-values, so names outside the schema are allowed; in a
   * line item's dimensions they are refused.
   */
  readonly unregistered: 'allowed' | 'refused';
}

/**
 * Checks registered dimensions, for requests (`ext.kv`) and line items (`targeting.dimensions`)
 * alike. A value is a scalar or a list of scalars of exactly the registered type: "18" is not an
 * integer. Returns every fault.
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
