import { ASKED_KINDS, CONTEXT_KINDS, pairOf, prefixPairOf } from './targeting-rules.ts';
import type { NumberRange, TargetingRule, TargetingRules } from './targeting-rules.ts';

/** Many values at once: a range, or a prefix. `spelling`: the pair of the name and no value. */
export type WidePair = { readonly spelling: string } & ({ readonly range: NumberRange } | { readonly prefix: string });

/** A number for each different pair, so that indexes are built without comparing texts. */
export const createPairNumbers = () => {
  const numbers = new Map<string, number>();
  const texts: string[] = [];
  const asked: number[] = [];
  const wide = new Map<number, WidePair>();
  /** @param bit of its kind (`ASKED_KINDS`), of a kind that a request is asked for */
  const numberOf = (pair: string, bit = 0): number => {
    let number = numbers.get(pair);
    if (number === undefined) {
      numbers.set(pair, (number = texts.push(pair) - 1));
      asked.push(bit);
    }
    return number;
  };
  return {
    get size(): number {
      return texts.length;
    },
    numberOf,
    textOf: (number: number): string => texts[number]!,
    askedBitOf: (number: number): number => asked[number]!,
    /** The number of what is not a pair, but looked for by its name. */
    numberOfWide: (given: WidePair): number => {
      const text =
        'prefix' in given ? given.spelling + given.prefix : `${given.spelling}${given.range.min ?? ''}..${given.range.max ?? ''}`;
      const number = numberOf(('prefix' in given ? prefixPairOf : rangePairOf)(text));
      if (!wide.has(number)) wide.set(number, given);
      return number;
    },
    /** undefined: the number is a pair's. */
    wideOf: (number: number): WidePair | undefined => (wide.size === 0 ? undefined : wide.get(number)),
  };
};

export type PairNumbers = ReturnType<typeof createPairNumbers>;

/** No request offers it: what it offers is looked for in a tree of the ranges of a name. */
const rangePairOf = (text: string): string => `<${text}`;

/** Each context rule has its own slot; an entry's other rules take the slots after them. */
const OWN_SLOTS = [...CONTEXT_KINDS, 'schedule'];
const CONTEXT_SLOT: ReadonlyMap<string, number> = new Map(OWN_SLOTS.map((kind, slot) => [kind, slot]));

/** In place of a slot: the entry is refused where a request offers the value. */
export const EXCLUDED = -1;

/**
 * The rules of an entry as numbers: for each value the slot of its rule and the number of its pair,
 * alternately.
 */
export const compileTargeting = (rules: TargetingRules, pairs: PairNumbers): readonly number[] => {
  const compiled: number[] = [];
  const taken = new Set<number>();
  let next = OWN_SLOTS.length;
  const slotOf = ({ kind, excludes }: TargetingRule): number => {
    if (excludes) return EXCLUDED;
    const own = CONTEXT_SLOT.get(kind);
    // Of two rules of a kind, as a line item and a targeting that it names may have, both must be met.
    if (own === undefined || taken.has(own)) return next++;
    taken.add(own);
    return own;
  };
  // The order is the same for all entries, so that equal names tend to share a slot.
  for (const rule of rules.length > 1 ? rules.toSorted(byName) : rules) {
    const slot = slotOf(rule);
    for (const number of numbersOf(rule, pairs)) compiled.push(slot, number);
  }
  return compiled;
};

const numbersOf = ({ kind, name, values, ranges = [], prefixes = [] }: TargetingRule, pairs: PairNumbers): ReadonlySet<number> => {
  const asked = ASKED_BITS.get(kind);
  const numbers = new Set(values.map((value) => pairs.numberOf(pairOf(kind, name, value), asked)));
  const spelling = pairOf(kind, name, '');
  for (const range of ranges) numbers.add(pairs.numberOfWide({ spelling, range }));
  for (const prefix of prefixes) numbers.add(pairs.numberOfWide({ spelling, prefix }));
  return numbers;
};

const ASKED_BITS: ReadonlyMap<string, number> = new Map(ASKED_KINDS.map((kind, at) => [kind, 1 << at]));

const byName = (a: TargetingRule, b: TargetingRule): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
