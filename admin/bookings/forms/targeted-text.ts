import type { TargetedValue } from '../../../src/targeting/targeting-rules.ts';
import { numberOf, textOf } from './typed-text.ts';

/** Numbers with `..` between or beside them. */
const RANGE = /^(-?\d+(?:\.\d+)?)?\s*\.\.\s*(-?\d+(?:\.\d+)?)?$/;
const QUOTED = /^"(.*)"$/s;

/** What staff type for a value: `18..34` for a range, `sport*` for a prefix, `"sport*"` for that very text. */
export const targetedText = (value: unknown): string => {
  if (typeof value === 'object' && value !== null) {
    const { min, max, prefix } = value as { readonly min?: unknown; readonly max?: unknown; readonly prefix?: unknown };
    return prefix === undefined ? `${textOf(min)}..${textOf(max)}` : `${textOf(prefix)}*`;
  }
  const text = textOf(value);
  return typeof targetedValue(text) === 'object' || QUOTED.test(text) ? `"${text}"` : text;
};

/** The value that a typed text means. @param scalar of a text that is neither a range nor a prefix */
export const targetedValue = (typed: string, scalar: (text: string) => string | number | boolean = (text) => text): TargetedValue => {
  const [, min, max] = RANGE.exec(typed) ?? [];
  if (min !== undefined || max !== undefined)
    return { ...(min !== undefined && { min: Number(numberOf(min)) }), ...(max !== undefined && { max: Number(numberOf(max)) }) };
  if (typed.endsWith('*') && typed.length > 1) return { prefix: typed.slice(0, -1) };
  return scalar(QUOTED.exec(typed)?.[1] ?? typed);
};

/** A list of one value may be stored as the value. */
export const targetedTexts = (values: unknown): readonly string[] =>
  values === null || values === undefined ? [] : [values].flat().map(targetedText);
