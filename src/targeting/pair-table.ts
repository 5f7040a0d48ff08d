/**
 * A hash table from text to number in two typed arrays, so that it can lie in shared memory: a map
 * of 100,000 texts on the heap is marked by every full collection, and growing one blocks the event
 * loop for up to 300 ms. Open addressing with linear probing, at most half full.
 */
export interface PairTable {
  /** For each slot the number + 1 (0: free), the start of its text in `pairText` and the text's length. */
  readonly pairSlots: Int32Array;
  /** UTF-16 code units. */
  readonly pairText: Uint16Array;
}

const INTS_A_SLOT = 3;

export const buildPairTable = (numbers: ReadonlyMap<string, number>): PairTable => {
  let slots = 2;
  while (slots < 2 * numbers.size) slots *= 2;
  let textLength = 0;
  for (const pair of numbers.keys()) textLength += pair.length;
  const pairSlots = new Int32Array(slots * INTS_A_SLOT);
  const pairText = new Uint16Array(textLength);
  let textAt = 0;
  for (const [pair, number] of numbers) {
    let slot = hashOfPair(pair) & (slots - 1);
    while (pairSlots[slot * INTS_A_SLOT] !== 0) slot = (slot + 1) & (slots - 1);
    pairSlots.set([number + 1, textAt, pair.length], slot * INTS_A_SLOT);
    for (let i = 0; i < pair.length; i++) pairText[textAt++] = pair.charCodeAt(i);
  }
  return { pairSlots, pairText };
};

/** The number of a pair, or -1. `hash`: hashOfPair of it. */
export const findPair = ({ pairSlots, pairText }: PairTable, pair: string, hash: number): number => {
  const last = pairSlots.length / INTS_A_SLOT - 1;
  for (let slot = hash & last; ; slot = (slot + 1) & last) {
    const at = slot * INTS_A_SLOT;
    const number = pairSlots[at]! - 1;
    if (number < 0 || isText(pairText, pairSlots[at + 1]!, pairSlots[at + 2]!, pair)) return number;
  }
};

const isText = (text: Uint16Array, start: number, length: number, pair: string): boolean => {
  if (length !== pair.length) return false;
  for (let i = 0; i < length; i++) if (text[start + i] !== pair.charCodeAt(i)) return false;
  return true;
};

/** FNV-1a over the code units, with a last step that mixes the high bits into the low ones. */
export const hashOfPair = (pair: string): number => hashOfRest(HASH_OF_NOTHING, pair);

/** The same of a pair whose beginning is known; `begun`: hashOfBeginning of that. */
export const hashOfRest = (begun: number, rest: string): number => {
  const hash = hashOn(begun, rest);
  return hash ^ (hash >>> 15);
};

export const hashOfBeginning = (beginning: string): number => hashOn(HASH_OF_NOTHING, beginning);

const HASH_OF_NOTHING = 0x811c9dc5;

const hashOn = (begun: number, text: string): number => {
  let hash = begun;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
};
