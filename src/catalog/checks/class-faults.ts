import type { Fault } from '../../base/fault.ts';
import type { LineItemRecord } from '../entities/line-item.ts';
import { LINE_ITEM_CLASS_TERMS, lineItemClassOf } from '../model/line-item-classes.ts';
import type { Given } from './shape-record.ts';

const isGiven = (value: unknown): boolean => (value ?? null) !== null;

/** What the class of a line item does not allow, with the way out. */
export const classFaults = (record: Given<LineItemRecord>): readonly Fault[] => {
  const name = lineItemClassOf(record.class);
  if (name === undefined) return [];
  const { is, allows, needs } = LINE_ITEM_CLASS_TERMS[name];
  const outside = Object.entries(allows).flatMap(([field, allowed]: [string, readonly unknown[]]) => {
    const value = (record as Readonly<Record<string, unknown>>)[field];
    if (!isGiven(value) || allowed.includes(value)) return [];
    const detail =
      allowed.length === 0
        ? `must have no value with class ${name}: ${is}. Change it, or choose another class`
        : `must be ${allowed.join(' or ')} with class ${name}: ${is}. Change it, or choose another class`;
    return [{ pointer: `/${field}`, detail }];
  });
  if (needs === undefined || needs.some((field) => isGiven(record[field]))) return outside;
  const [first, ...others] = needs;
  const detail =
    others.length === 0 ? `is required with class ${name}: ${is}` : `or ${others.join(' or ')} is required with class ${name}: ${is}`;
  return [...outside, { pointer: `/${first}`, detail }];
};
