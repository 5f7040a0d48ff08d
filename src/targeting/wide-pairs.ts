import type { ArraysOf } from '../base/packed-arrays.ts';
import type { WidePair } from './compile-targeting.ts';
import { numberIn, prefixPairOf, type NumberRange } from './targeting-rules.ts';

/**
 * Ranges and prefixes of one index, by the name that they belong to.
 *
 * The ends of the ranges of a name cut the line of numbers into pieces: each end is one, and so is
 * what lies between two of them. A segment tree over the pieces splits each range into at most
 * 2 × log2 of the pieces nodes, and a number is in one piece and its nodes up to the root. So a request
 * looks up 18 nodes where 100,000 line items have a range of their own, and one where they have none.
 *
 * Of prefixes only the lengths are kept: a request looks up that many characters of its value.
 */
export const WIDE_ARRAYS = {
  /** Of each name: the start of its spelling in `wideText` and its length; of its ends, lengths and nodes, the start and the number. */
  wideNames: Int32Array,
  wideText: Uint16Array,
  wideEnds: Float64Array,
  wideLengths: Int32Array,
  /** The first posting of each node; -1: none. */
  wideNodes: Int32Array,
} as const;
export type WideTables = ArraysOf<typeof WIDE_ARRAYS>;
const INTS_A_NAME = 8;

/** The ranges and prefixes of one name, as they are looked up. */
export interface WideName {
  readonly spelling: string;
  readonly ends: Float64Array;
  readonly lengths: Int32Array;
  readonly nodes: Int32Array;
}

export const openWideNames = ({ wideNames, wideText, wideEnds, wideLengths, wideNodes }: WideTables): readonly WideName[] =>
  Array.from({ length: wideNames.length / INTS_A_NAME }, (_, name) => {
    const [text, textLength, ends, endCount, lengths, lengthCount, nodes, nodeCount] = wideNames.subarray(name * INTS_A_NAME);
    return {
      spelling: String.fromCharCode(...wideText.subarray(text, text! + textLength!)),
      ends: wideEnds.subarray(ends, ends! + endCount!),
      lengths: wideLengths.subarray(lengths, lengths! + lengthCount!),
      nodes: wideNodes.subarray(nodes, nodes! + nodeCount!),
    };
  });

/** Visits the first posting of each node whose range contains a value. */
export const forEachRange = ({ ends, nodes }: WideName, value: string, visit: (posting: number) => void): void => {
  if (nodes.length === 0) return;
  const number = numberIn(value);
  if (Number.isNaN(number)) return;
  for (let node = pieceOf(ends, number) + nodes.length / 2; node >= 1; node >>= 1) if (nodes[node]! >= 0) visit(nodes[node]!);
};

/** Visits each pair of a prefix that a value may have. */
export const forEachPrefix = ({ spelling, lengths }: WideName, value: string, visit: (pair: string) => void): void => {
  for (const length of lengths) if (length <= value.length) visit(prefixPairOf(spelling + value.slice(0, length)));
};

/** The piece of a number: end i is 2i + 1, what is below it 2i. */
const pieceOf = (ends: Float64Array, number: number): number => {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ends[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return ends[low] === number ? 2 * low + 1 : 2 * low;
};

interface Gathered {
  readonly ends: Set<number>;
  readonly lengths: Set<number>;
}

/** Collects what the entries of an index name, and numbers the nodes of their ranges. */
export const createWidePairs = () => {
  const names = new Map<string, Gathered>();
  const gatheredOf = (spelling: string): Gathered => {
    let gathered = names.get(spelling);
    if (gathered === undefined) names.set(spelling, (gathered = { ends: new Set(), lengths: new Set() }));
    return gathered;
  };
  const sortedEnds = ({ ends }: Gathered): Float64Array => Float64Array.from(ends).sort();
  const trees = new Map<string, { readonly ends: Float64Array; readonly first: number }>();

  return {
    add: (wide: WidePair): void => {
      const { ends, lengths } = gatheredOf(wide.spelling);
      if ('prefix' in wide) lengths.add(wide.prefix.length);
      else for (const end of [wide.range.min, wide.range.max]) if (end !== null) ends.add(end);
    },
    /** After everything was added: the nodes of a range, numbered over all names. */
    nodesOf: (spelling: string, { min, max }: NumberRange): readonly number[] => {
      if (trees.size === 0) plant();
      const { ends, first } = trees.get(spelling)!;
      const pieces = 2 * ends.length + 1;
      const nodes: number[] = [];
      let left = (min === null ? 0 : pieceOf(ends, min)) + pieces;
      let right = (max === null ? pieces - 1 : pieceOf(ends, max)) + pieces + 1;
      for (; left < right; left >>= 1, right >>= 1) {
        if (left & 1) nodes.push(first + left++);
        if (right & 1) nodes.push(first + --right);
      }
      return nodes;
    },
    /** @param postingOf the first posting of a node; -1: none */
    finish: (postingOf: (node: number) => number): WideTables => {
      plant();
      const texts = [...names.keys()];
      const lengths = [...names.values()].map((each) => [...each.lengths].sort((a, b) => a - b));
      const ends = texts.map((spelling) => trees.get(spelling)!.ends);
      const at = { text: 0, ends: 0, lengths: 0 };
      const wideNames = texts.flatMap((spelling, i) => {
        const nodes = trees.get(spelling)!.first;
        const row = [at.text, spelling.length, at.ends, ends[i]!.length, at.lengths, lengths[i]!.length, nodes, nodesIn(ends[i]!)];
        at.text += spelling.length;
        at.ends += ends[i]!.length;
        at.lengths += lengths[i]!.length;
        return row;
      });
      const wideText = texts.join('');
      return {
        wideNames: Int32Array.from(wideNames),
        wideText: Uint16Array.from({ length: wideText.length }, (_, i) => wideText.charCodeAt(i)),
        wideEnds: Float64Array.from(ends.flatMap((each) => [...each])),
        wideLengths: Int32Array.from(lengths.flat()),
        wideNodes: Int32Array.from({ length: nodeCount() }, (_, node) => postingOf(node)),
      };
    },
  };

  function plant(): void {
    let first = 0;
    for (const [spelling, gathered] of names) {
      const ends = sortedEnds(gathered);
      trees.set(spelling, { ends, first });
      first += nodesIn(ends);
    }
  }
  function nodeCount(): number {
    return [...trees.values()].reduce((sum, { ends }) => sum + nodesIn(ends), 0);
  }
};

/** Twice the pieces; a name without ranges has no tree. */
const nodesIn = (ends: Float64Array): number => (ends.length === 0 ? 0 : 2 * (2 * ends.length + 1));
