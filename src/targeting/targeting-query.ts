import { valueOf, type DimensionSchema } from './dimension-schema.ts';
import { RecentMap } from '../base/recent-map.ts';
import { hashOfBeginning, hashOfPair, hashOfRest } from './pair-table.ts';
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

/** The beginning of every pair of a name, with its hash. */
interface Beginning {
  readonly text: string;
  readonly hash: number;
}

const beginningOf = (kind: TargetingKind, name: string): Beginning => {
  const text = pairOf(kind, name, '');
  return { text, hash: hashOfBeginning(text) };
};

const OF_CONTEXT = KNOWN_KINDS.map((kind) => ({ name: CONTEXT_RULES[kind], beginning: beginningOf(kind, CONTEXT_RULES[kind]) }));

interface KeyBeginnings {
  readonly keyValue: Beginning;
  readonly dimension: Beginning;
}

const beginningsOf = (name: string): KeyBeginnings => ({
  keyValue: beginningOf('key_values', name),
  dimension: beginningOf('dimensions', name),
});

/** Pages use few names; the long names of a stranger are not kept. */
const [MAX_NAMES, MAX_NAME_LENGTH] = [1_000, 64];
const knownBeginnings = new RecentMap<string, KeyBeginnings>(MAX_NAMES);

const beginningsOnce = (name: string): KeyBeginnings => {
  if (name.length > MAX_NAME_LENGTH) return beginningsOf(name);
  let beginnings = knownBeginnings.get(name);
  if (beginnings === undefined) knownBeginnings.set(name, (beginnings = beginningsOf(name)));
  return beginnings;
};

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
  const hashes: number[] = [];
  const add = ({ text, hash }: Beginning, value: string): void => {
    pairs.push(text + value);
    hashes.push(hashOfRest(hash, value));
  };
  for (const { name, beginning } of OF_CONTEXT) {
    const value = context[name];
    if (value !== null && value !== undefined) add(beginning, value);
  }
  for (const [name, given] of Object.entries(keyValues)) {
    const dimension = schema.get(name);
    const beginnings = beginningsOnce(name);
    for (const spelled of Array.isArray(given) ? given : [given]) {
      const value = dimension === undefined ? (spelled as unknown) : valueOf(dimension, spelled);
      if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue;
      add(beginnings.keyValue, String(value));
      if (dimension !== undefined) add(beginnings.dimension, String(value));
      if (pairs.length >= MAX_PAIRS) return new TargetingQuery(pairs, offeredBy, hashes);
    }
  }
  return new TargetingQuery(pairs, offeredBy, hashes);
};
