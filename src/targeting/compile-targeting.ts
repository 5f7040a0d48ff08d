import { CONTEXT_KINDS, pairOf } from './targeting-rules.ts';
import type { TargetingRule, TargetingRules } from './targeting-rules.ts';

/** A number for each different pair, so that indexes are built without comparing texts. */
export interface PairNumbers {
  readonly size: number;
  numberOf(pair: string): number;
  textOf(number: number): string;
}

export const createPairNumbers = (): PairNumbers => {
  const numbers = new Map<string, number>();
  const texts: string[] = [];
  return {
    get size() {
      return texts.length;
    },
    numberOf: (pair) => {
      let number = numbers.get(pair);
      if (number === undefined) numbers.set(pair, (number = texts.push(pair) - 1));
      return number;
    },
    textOf: (number) => texts[number]!,
  };
};

/** Each context rule has its own slot; an entry's other rules take the slots after them. */
const CONTEXT_SLOT: ReadonlyMap<string, number> = new Map(CONTEXT_KINDS.map((kind, slot) => [kind, slot]));

/**
 * The rules of an entry as numbers: for each value the slot of its rule and the number of its pair,
 * alternately.
 */
export const compileTargeting = (rules: TargetingRules, pairs: PairNumbers): readonly number[] => {
  const compiled: number[] = [];
  let next = CONTEXT_KINDS.length;
  // The order is the same for all entries, so that equal names tend to share a slot.
  for (const { kind, name, values } of rules.length > 1 ? rules.toSorted(byName) : rules) {
    const slot = CONTEXT_SLOT.get(kind) ?? next++;
    for (const value of new Set(values)) compiled.push(slot, pairs.numberOf(pairOf(kind, name, value)));
  }
  return compiled;
};

const byName = (a: TargetingRule, b: TargetingRule): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
