import { growable } from './growable.ts';

/**
 * Pages of 1,024 bits, packed into one array. A page is a mask of its non-zero words, followed by
 * those words only: a page with one bit takes two words, and a scan sees in the mask which words to
 * read. Empty and full pages are shared.
 *
 * Words are 32-bit integers as of JavaScript's bit operators: bit i of a page is bit `i & 31` of
 * its word `i >>> 5`.
 */
export const WORDS_A_PAGE = 32;
export const BITS_A_PAGE = 1024;
export const PAGE_SHIFT = 10;

export type PageRef = number;
export const EMPTY_PAGE: PageRef = 0;
export const FULL_PAGE: PageRef = 1;
const ALL = 0xffffffff | 0;

export const createPagePool = () => {
  const pool = growable(256);
  // EMPTY_PAGE, then FULL_PAGE.
  pool.push(0);
  for (let i = 0; i < 1 + WORDS_A_PAGE; i++) pool.push(ALL);

  /** Stores a page of 32 words and returns its position. */
  const store = (words: Int32Array): PageRef => {
    let mask = 0;
    let full = true;
    for (let w = 0; w < WORDS_A_PAGE; w++) {
      if (words[w] !== 0) mask |= 1 << w;
      if (words[w] !== ALL) full = false;
    }
    if (mask === 0) return EMPTY_PAGE;
    if (full) return FULL_PAGE;
    const ref = pool.push(mask);
    for (let w = 0; w < WORDS_A_PAGE; w++) if (words[w] !== 0) pool.push(words[w]!);
    return ref;
  };

  return { store, finish: pool.finish };
};

/** Word `w` of the page at `ref`. */
export const wordOf = (pool: Int32Array, ref: PageRef, w: number): number => {
  const mask = pool[ref];
  if (mask === ALL) return pool[ref + 1 + w]!;
  const bit = 1 << w;
  return (mask! & bit) === 0 ? 0 : pool[ref + 1 + bitCount(mask! & (bit - 1))]!;
};

/** Number of set bits of a 32-bit integer (Warren, Hacker's Delight, figure 5-2). */
export const bitCount = (bits: number): number => {
  let n = bits - ((bits >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
};

/** The number of the lowest set bit; `bits` is not 0. */
export const lowestBit = (bits: number): number => 31 - Math.clz32(bits & -bits);
