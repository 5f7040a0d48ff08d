import { valueOf, type DimensionSchema } from './dimension-schema.ts';
import { hashOfPair } from './pair-table.ts';
import { ASKED_KINDS, CONTEXT_RULES, KNOWN_KINDS, nameOfAsked, pairOf } from './targeting-rules.ts';
import type { AskedKind, KnownKind, TargetingKind } from './targeting-rules.ts';

/** Values of a request with the hash of each, for the index of every impression. */
export interface OfferedPairs {
  /** Spelled by `pairOf`. */
  readonly pairs: readonly string[];
  readonly hashes: readonly number[];
}

/** Reads from a request what rules of a kind compare with. Called once for a kind, and only if a line item has such a rule. */
export type OfferedBy = (kind: AskedKind) => readonly string[];

/** What a request offers to targeting rules. */
export class TargetingQuery implements OfferedPairs {
  readonly pairs: readonly string[];
  readonly hashes: readonly number[];
  private readonly offeredBy: OfferedBy | undefined;
  /** Made when they are needed: most requests read neither. */
  private asked: Map<AskedKind, OfferedPairs> | undefined;
  private named: Map<string, readonly string[]> | undefined;
  private set: ReadonlySet<string> | undefined;

  /** @param hashes of the pairs, where they are known */
  constructor(pairs: readonly string[], offeredBy?: OfferedBy, hashes: readonly number[] = pairs.map(hashOfPair)) {
    this.pairs = pairs;
    this.hashes = hashes;
    this.offeredBy = offeredBy;
  }

  /** The pairs of a kind that is read when it is asked for. */
  ask(kind: AskedKind): OfferedPairs {
    this.asked ??= new Map();
    let offered = this.asked.get(kind);
    if (offered === undefined) {
      const pairs = (this.offeredBy?.(kind) ?? []).map((value) => pairOf(kind, nameOfAsked(kind), value));
      this.asked.set(kind, (offered = { pairs, hashes: pairs.map(hashOfPair) }));
    }
    return offered;
  }

  /** The values of a name, spelled as `pairOf(kind, name, '')`, that every request has. */
  valuesOf(spelling: string): readonly string[] {
    this.named ??= new Map();
    let values = this.named.get(spelling);
    if (values === undefined) this.named.set(spelling, (values = valuesIn(this.pairs, spelling)));
    return values;
  }

  /** The values that the request offers to a rule. */
  offered(kind: TargetingKind, name: string): readonly string[] {
    const spelling = pairOf(kind, name, '');
    return isAsked(kind) ? valuesIn(this.ask(kind).pairs, spelling) : this.valuesOf(spelling);
  }

  has(kind: TargetingKind, pair: string): boolean {
    if (isAsked(kind)) return this.ask(kind).pairs.includes(pair);
    this.set ??= new Set(this.pairs);
    return this.set.has(pair);
  }
}

const isAsked = (kind: TargetingKind): kind is AskedKind => (ASKED_KINDS as readonly TargetingKind[]).includes(kind);

const valuesIn = (pairs: readonly string[], spelling: string): readonly string[] =>
  pairs.filter((pair) => pair.startsWith(spelling)).map((pair) => pair.slice(spelling.length));

/** Each impression looks up every pair: 20 impressions with 2,000 pairs held the event loop for 26 ms. */
const MAX_PAIRS = 500;

/** What is known of the visitor, by the rule's name; null: unknown. No rule that includes accepts an unknown value, and none that excludes refuses it. */
export type TargetingContext = { readonly [name in (typeof CONTEXT_RULES)[KnownKind]]?: string | null };

/**
 * A request's context and its `ext.kv` as pairs. A scalar key-value gives one pair, a list one for
 * each of its scalars, anything else none; what comes after MAX_PAIRS does not count. A line item may name a
 * registered dimension among its key-values, so a registered dimension gives a pair of each kind.
 */
export const targetingQuery = (
  schema: DimensionSchema,
  context: TargetingContext,
  keyValues: Readonly<Record<string, unknown>> = {},
  offeredBy?: OfferedBy,
): TargetingQuery => {
  const pairs: string[] = [];
  for (const kind of KNOWN_KINDS) {
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
      if (pairs.length >= MAX_PAIRS) return new TargetingQuery(pairs, offeredBy);
    }
  }
  return new TargetingQuery(pairs, offeredBy);
};
