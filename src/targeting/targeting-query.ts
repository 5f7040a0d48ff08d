import type { DimensionSchema } from './dimension-schema.ts';

/** What a line item asks for, as far as this folder needs to know it. An empty list or map is no rule. */
export interface TargetingRules {
  readonly countries: readonly string[];
  readonly devices: readonly string[];
  readonly dimensions: ReadonlyMap<string, readonly string[]>;
  readonly keyValues: ReadonlyMap<string, readonly string[]>;
}

/** What a request offers. */
export interface TargetingQuery {
  /** ISO 3166-1 alpha-2, upper case; null: unknown, which no country rule accepts. */
  readonly country: string | null;
  readonly device: string | null;
  /** Spelled by `dimensionPair` and `keyValuePair`. */
  readonly pairs: readonly string[];
}

/** The name's length stands in front, so that `a=b` + `c` and `a` + `b=c` are two pairs; the letter keeps dimensions and key-values apart. */
export const dimensionPair = (name: string, value: string): string => `d${name.length}:${name}=${value}`;
export const keyValuePair = (name: string, value: string): string => `k${name.length}:${name}=${value}`;

/**
 * A request's `ext.kv` as pairs: a scalar gives one, a list one for each of its scalars, anything else none. A registered dimension may
 * also be meant by a line item's free key-values, so it gives a pair of each sort.
 */
export const requestPairs = (schema: DimensionSchema, keyValues: Readonly<Record<string, unknown>>): readonly string[] => {
  const pairs: string[] = [];
  for (const [name, given] of Object.entries(keyValues)) {
    const registered = schema.has(name);
    for (const value of Array.isArray(given) ? given : [given]) {
      if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue;
      pairs.push(keyValuePair(name, String(value)));
      if (registered) pairs.push(dimensionPair(name, String(value)));
    }
  }
  return pairs;
};
