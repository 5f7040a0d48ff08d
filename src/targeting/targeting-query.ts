import { valueOf, type DimensionSchema } from './dimension-schema.ts';
import { hashOfPair } from './pair-table.ts';
import { CONTEXT_KINDS, CONTEXT_RULES, pairOf } from './targeting-rules.ts';
import type { ContextKind } from './targeting-rules.ts';

/** What a request offers to targeting rules. */
export class TargetingQuery {
  /** Spelled by `pairOf`. */
  readonly pairs: readonly string[];
  /** Of the pairs, for the index of every impression. */
  readonly hashes: readonly number[];
  private set: ReadonlySet<string> | undefined;

  constructor(pairs: readonly string[]) {
    this.pairs = pairs;
    this.hashes = pairs.map(hashOfPair);
  }

  has(pair: string): boolean {
    this.set ??= new Set(this.pairs);
    return this.set.has(pair);
  }
}

/** Each impression looks up every pair: 20 impressions with 2,000 pairs held the event loop for 26 ms. */
const MAX_PAIRS = 500;

/** What is known of the visitor, by the rule's name. No rule accepts null or an absent value. */
export type TargetingContext = { readonly [name in (typeof CONTEXT_RULES)[ContextKind]]?: string | null };

/**
 * A request's context and its `ext.kv` as pairs. A scalar key-value gives one pair, a list one for
 * each of its scalars, anything else none; what comes after MAX_PAIRS does not count. A line item may name a
 * registered dimension among its key-values, so a registered dimension gives a pair of each kind.
 */
export const targetingQuery = (
  schema: DimensionSchema,
  context: TargetingContext,
  keyValues: Readonly<Record<string, unknown>> = {},
): TargetingQuery => {
  const pairs: string[] = [];
  for (const kind of CONTEXT_KINDS) {
    const name = CONTEXT_RULES[kind];
    const value = context[name];
    if (value !== null && value !== undefined) pairs.push(pairOf(kind, name, value));
  }
  for (const [name, given] of Object.entries(keyValues)) {
    const dimension = schema.get(name);
    for (const spelled of Array.isArray(given) ? given : [given]) {
      const value = dimension === undefined ? (spelled as unknown) : valueOf(dimension, spelled);
      if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue;
      pairs.push(pairOf('key_values', name, String(value)));
      if (dimension !== undefined) pairs.push(pairOf('dimensions', name, String(value)));
      if (pairs.length >= MAX_PAIRS) return new TargetingQuery(pairs);
    }
  }
  return new TargetingQuery(pairs);
};
