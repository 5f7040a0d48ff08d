import { pointerStep, type Fault } from '../base/fault.ts';
import { isObject } from '../base/narrow.ts';
import { numberIn } from './targeting-rules.ts';

export const DIMENSION_TYPES = ['string', 'number', 'integer', 'boolean'] as const;
export type DimensionType = (typeof DIMENSION_TYPES)[number];
export type DimensionValue = string | number | boolean;

/** A registered dimension: the type and range of its values, in requests and line items alike. */
export interface Dimension {
  readonly name: string;
  /** What staff read: its `title`, else the name in words, `Content language` of `content_language`. */
  readonly label: string;
  readonly type: DimensionType;
  /** null: any value of the type. */
  readonly values: readonly DimensionValue[] | null;
  /** Both ends are inclusive; null: open. */
  readonly minimum: number | null;
  readonly maximum: number | null;
  readonly description: string;
}

export type DimensionSchema = ReadonlyMap<string, Dimension>;

export type ParsedDimensionSchema =
  { readonly ok: true; readonly schema: DimensionSchema } | { readonly ok: false; readonly faults: readonly Fault[] };

const DOCUMENT_KEYWORDS = new Set(['$schema', '$id', 'title', 'description', 'type', 'properties']);
const DIMENSION_KEYWORDS = new Set(['title', 'description', 'type', 'enum', 'minimum', 'maximum']);

/**
 * Reads the registered dimensions from a small subset of JSON Schema: an object schema whose
 * `properties` are the dimensions, each with `type` and optionally `enum`, `minimum`, `maximum`,
 * `title`, `description`. Any other keyword is a fault, because it would silently not be enforced.
 */
export const parseDimensionSchema = (document: unknown): ParsedDimensionSchema => {
  if (!isObject(document)) return refuse([{ pointer: '', detail: 'must be a JSON object' }]);
  const faults: Fault[] = unknownKeywords(document, DOCUMENT_KEYWORDS, '');
  if (document['type'] !== undefined && document['type'] !== 'object') faults.push({ pointer: '/type', detail: 'must be "object"' });
  const properties = document['properties'];
  if (!isObject(properties)) return refuse([...faults, { pointer: '/properties', detail: 'must be an object of dimensions' }]);

  const schema = new Map<string, Dimension>();
  for (const [name, definition] of Object.entries(properties)) {
    const pointer = '/properties' + pointerStep(name);
    const found = definitionFaults(name, definition, pointer);
    if (found.length > 0) faults.push(...found);
    else schema.set(name, toDimension(name, definition as Readonly<Record<string, unknown>>));
  }
  return faults.length > 0 ? refuse(faults) : { ok: true, schema };
};

/**
 * A value in the type of its dimension: "30" as the number 30, "true" as a boolean, 7 of a string as "7".
 * What has no such spelling is returned as it is, and `valueFault` finds the fault. Bookings and requests
 * both pass here, so that they match.
 */
export const valueOf = ({ type }: Dimension, value: unknown): unknown => {
  if (typeof value === 'string') {
    if (type === 'string') return value;
    if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
    const spelled = numberIn(value);
    return Number.isNaN(spelled) ? value : spelled;
  }
  return type === 'string' && Number.isFinite(value) ? String(value) : value;
};

/** The fault of one scalar, in any spelling of `valueOf`, as a value of `dimension`, or undefined. */
export const valueFault = (dimension: Dimension, given: unknown): string | undefined => {
  const value = valueOf(dimension, given);
  if (!isOfType(dimension.type, value)) return `must be ${dimension.type === 'integer' ? 'an' : 'a'} ${dimension.type}`;
  if (dimension.values !== null && !dimension.values.includes(value as DimensionValue))
    return `must be one of ${dimension.values.join(', ')}`;
  if (dimension.minimum !== null && (value as number) < dimension.minimum) return `must be at least ${dimension.minimum}`;
  if (dimension.maximum !== null && (value as number) > dimension.maximum) return `must be at most ${dimension.maximum}`;
  return undefined;
};

const toDimension = (name: string, definition: Readonly<Record<string, unknown>>): Dimension => ({
  name,
  label: (definition['title'] as string | undefined) ?? inWords(name),
  type: definition['type'] as DimensionType,
  values: (definition['enum'] as readonly DimensionValue[] | undefined) ?? null,
  minimum: (definition['minimum'] as number | undefined) ?? null,
  maximum: (definition['maximum'] as number | undefined) ?? null,
  description: (definition['description'] as string | undefined) ?? '',
});

/** `content_language` as `Content language`. */
const inWords = (name: string): string => {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
};

const definitionFaults = (name: string, definition: unknown, pointer: string): Fault[] => {
  if (name === '') return [{ pointer, detail: 'a dimension needs a name' }];
  if (!isObject(definition)) return [{ pointer, detail: 'must be an object' }];
  const faults = unknownKeywords(definition, DIMENSION_KEYWORDS, pointer);
  const { type, enum: values, minimum, maximum } = definition;
  if (!DIMENSION_TYPES.includes(type as DimensionType)) {
    return [...faults, { pointer: pointer + '/type', detail: `must be one of ${DIMENSION_TYPES.join(', ')}` }];
  }
  const numeric = type === 'number' || type === 'integer';
  for (const [keyword, bound] of Object.entries({ minimum, maximum })) {
    if (bound === undefined) continue;
    if (!numeric) faults.push({ pointer: `${pointer}/${keyword}`, detail: 'is only allowed for numbers and integers' });
    else if (!isOfType('number', bound)) faults.push({ pointer: `${pointer}/${keyword}`, detail: 'must be a number' });
  }
  if (typeof minimum === 'number' && typeof maximum === 'number' && minimum > maximum) {
    faults.push({ pointer: pointer + '/minimum', detail: 'must not be greater than the maximum' });
  }
  if (values !== undefined && !(Array.isArray(values) && values.length > 0)) {
    faults.push({ pointer: pointer + '/enum', detail: 'must be a list of at least one value' });
  }
  for (const keyword of ['title', 'description']) {
    const text = definition[keyword];
    if (text !== undefined && typeof text !== 'string') faults.push({ pointer: `${pointer}/${keyword}`, detail: 'must be a string' });
  }
  if (faults.length > 0 || !Array.isArray(values)) return faults;

  const withoutEnum: Dimension = { ...toDimension(name, definition), values: null };
  return values.flatMap((value, i) => {
    const detail = isOfType(withoutEnum.type, value) ? valueFault(withoutEnum, value) : `must be of type ${withoutEnum.type}`;
    return detail === undefined ? [] : [{ pointer: `${pointer}/enum/${i}`, detail }];
  });
};

const unknownKeywords = (object: Readonly<Record<string, unknown>>, known: ReadonlySet<string>, pointer: string): Fault[] =>
  Object.keys(object)
    .filter((keyword) => !known.has(keyword))
    .map((keyword) => ({ pointer: pointer + pointerStep(keyword), detail: 'is not a supported keyword' }));

const isOfType = (type: DimensionType, value: unknown): boolean => {
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'number') return Number.isFinite(value);
  return typeof value === type;
};

const refuse = (faults: readonly Fault[]): ParsedDimensionSchema => ({ ok: false, faults });
