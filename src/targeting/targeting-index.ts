import type { ArraysOf } from '../base/packed-arrays.ts';
import { EMPTY_PAGE, FULL_PAGE, lowestBit, PAGE_SHIFT, wordOf } from './page-pool.ts';
import { findPair, hashOfPair } from './pair-table.ts';
import type { TargetingQuery } from './targeting-query.ts';
import { ASKED_KINDS, type AskedKind } from './targeting-rules.ts';
import { forEachPrefix, forEachRange, openWideNames, WIDE_ARRAYS, type WideName } from './wide-pairs.ts';

/** Finds all entries of a candidate list whose targeting a request meets, in list order. */
export interface TargetingIndex {
  /** Scanners are independent of each other and may be kept across an await. */
  eligible(query: TargetingQuery): ReturnType<typeof scan>;
  /** Whether an entry is there at some hours only. */
  readonly hasSchedules: boolean;
}

/**
 * The built index, as arrays that can lie in shared memory. A *rule slot* holds one rule of each
 * entry: each context rule that any entry has has its own slot, and an entry's first, second, … other rule
 * takes the next. An entry passes a slot when it has no rule there (`unruled`) or is listed under one of the
 * request's pairs. A *posting* is the list of one pair in one slot: the non-empty pages of its
 * bitset, ascending. What entries exclude needs no slot: the postings of slot -1 list the entries that
 * a pair refuses.
 */
export const TARGETING_ARRAYS = {
  /** The number of entries, of pages and of slots; a bit for each kind that the request is asked for (`ASKED_KINDS`). */
  shape: Int32Array,
  pool: Int32Array,
  /** Page reference at [slot × pageCount + page]. */
  unruled: Int32Array,
  /** At the same position: the first page from here on with an unruled entry, or pageCount. */
  nextUnruled: Int32Array,
  /** The first posting of a pair (pair-table.ts). */
  pairSlots: Int32Array,
  pairText: Uint16Array,
  postingSlot: Int32Array,
  /** Leads to the same pair in other slots; -1 ends the list. */
  postingNext: Int32Array,
  /** Posting p has [postingStart[p], postingStart[p + 1]) of the two lists below. */
  postingStart: Int32Array,
  postingPage: Int32Array,
  postingRef: Int32Array,
  ...WIDE_ARRAYS,
} as const;
export type TargetingTables = ArraysOf<typeof TARGETING_ARRAYS>;

export const createTargetingIndex = (tables: TargetingTables): TargetingIndex => {
  const asked = ASKED_KINDS.filter((_, at) => (tables.shape[3]! & (1 << at)) !== 0);
  const wide = openWideNames(tables);
  return { hasSchedules: asked.includes('schedule'), eligible: (query) => scan(tables, postingsOf(tables, query, asked, wide)) };
};

/** The postings of what a request offers, ordered by slot. */
const postingsOf = (
  tables: TargetingTables,
  query: TargetingQuery,
  asked: readonly AskedKind[],
  wide: readonly WideName[],
): readonly number[] => {
  const found: number[] = [];
  addPairs(tables, query.pairs, query.hashes, found);
  for (let i = 0; i < asked.length; i++) {
    const { pairs, hashes } = query.ask(asked[i]!);
    addPairs(tables, pairs, hashes, found);
  }
  for (let i = 0; i < wide.length; i++) addWide(tables, query, wide[i]!, found);
  return found;
};

const addPairs = (tables: TargetingTables, pairs: readonly string[], hashes: readonly number[], found: number[]): void => {
  for (let i = 0; i < pairs.length; i++) addPostings(tables, findPair(tables, pairs[i]!, hashes[i]!), found);
};

const addWide = (tables: TargetingTables, query: TargetingQuery, name: WideName, found: number[]): void => {
  for (const value of query.valuesOf(name.spelling)) {
    forEachRange(name, value, (posting) => addPostings(tables, posting, found));
    forEachPrefix(name, value, (pair) => addPostings(tables, findPair(tables, pair, hashOfPair(pair)), found));
  }
};

/** @param first of the postings of a pair; -1: none */
const addPostings = ({ postingSlot, postingNext }: TargetingTables, first: number, found: number[]): void => {
  for (let posting = first; posting >= 0; posting = postingNext[posting]!) {
    // Insertion sort, because the postings are few and nearly sorted. A repeated pair changes
    // nothing, because listings are joined by "or".
    let at = found.length;
    for (; at > 0 && postingSlot[found[at - 1]!]! > postingSlot[posting]!; at--) found[at] = found[at - 1]!;
    found[at] = posting;
  }
};

const scan = (tables: TargetingTables, postings: readonly number[]) => {
  const size = tables.shape[0]!;
  const pageCount = tables.shape[1]!;
  const slotCount = tables.shape[2]!;
  const { pool, unruled, nextUnruled, postingSlot, postingStart, postingPage, postingRef } = tables;
  // State of the current page: for each slot that restricts it, the pages to join by "or", up to
  // the position in `ends`.
  const refs: number[] = [];
  const ends: number[] = [];
  const cursors: number[] = [];
  for (let k = 0; k < postings.length; k++) cursors.push(postingStart[postings[k]!]!);
  let restricting = 0;
  /** The postings before it list who is refused; their pages of the current page are the first in `refs`. */
  let refusing = 0;
  while (refusing < postings.length && postingSlot[postings[refusing]!]! < 0) refusing++;
  let refusedEnd = 0;
  let currentPage = -1;
  /** Words of the current page in which an entry can pass every slot. */
  let currentMask = 0;
  /** The first page to visit next when `currentMask` is 0. */
  let leapTo = 0;
  let currentWord = -1;
  let currentBits = 0;

  const enterPage = (page: number): void => {
    currentPage = page;
    currentWord = -1;
    currentMask = -1;
    restricting = 0;
    let used = 0;
    let k = 0;
    for (; k < refusing; k++) {
      const at = seek(k, page);
      if (at === postingStart[postings[k]! + 1] || postingPage[at] !== page) continue;
      if (postingRef[at] === FULL_PAGE) {
        currentMask = 0;
        leapTo = page + 1;
        return;
      }
      refs[used++] = postingRef[at]!;
    }
    refusedEnd = used;
    for (let slot = 0; slot < slotCount; slot++) {
      const slotStart = used;
      const free = unruled[slot * pageCount + page]!;
      let slotMask = pool[free]!;
      let open = free === FULL_PAGE;
      let nextPage = nextUnruled[slot * pageCount + page]!;
      if (free !== EMPTY_PAGE) refs[used++] = free;
      for (; k < postings.length && postingSlot[postings[k]!] === slot; k++) {
        if (open) continue;
        const at = seek(k, page);
        if (at === postingStart[postings[k]! + 1]) continue;
        nextPage = Math.min(nextPage, postingPage[at]!);
        if (postingPage[at] !== page) continue;
        const ref = postingRef[at]!;
        open = ref === FULL_PAGE;
        refs[used++] = ref;
        slotMask |= pool[ref]!;
      }
      if (open) {
        used = slotStart;
        continue;
      }
      currentMask &= slotMask;
      if (currentMask === 0) {
        leapTo = Math.max(page + 1, nextPage);
        return;
      }
      ends[restricting++] = used;
    }
  };

  /**
   * Position of the posting's first page at or after `page`. Cursors only move forward in a forward
   * scan; a step back restarts them.
   */
  const seek = (k: number, page: number): number => {
    const posting = postings[k]!;
    const end = postingStart[posting + 1]!;
    let at = cursors[k]!;
    if (at > postingStart[posting]! && postingPage[at - 1]! >= page) at = postingStart[posting]!;
    while (at < end && postingPage[at]! < page) at++;
    cursors[k] = at;
    return at;
  };

  const wordBits = (w: number): number => {
    let bits = -1;
    let i = 0;
    for (; i < refusedEnd; i++) bits &= ~wordOf(pool, refs[i]!, w);
    for (let slot = 0; slot < restricting && bits !== 0; slot++) {
      let listed = 0;
      for (const end = ends[slot]!; i < end; i++) listed |= wordOf(pool, refs[i]!, w);
      bits &= listed;
    }
    return bits;
  };

  /** The first eligible position at or after `from`, or -1. */
  const firstFrom = (from: number): number => {
    let position = from;
    while (position < size) {
      const page = position >>> PAGE_SHIFT;
      if (page !== currentPage) enterPage(page);
      if (currentMask === 0) {
        position = leapTo << PAGE_SHIFT;
        continue;
      }
      const wordInPage = (position >>> 5) & 31;
      // Visits only the words from here on that can contain an eligible entry; `words & (words -
      // 1)` clears the lowest bit.
      for (let words = currentMask & (-1 << wordInPage); words !== 0; words &= words - 1) {
        const w = lowestBit(words);
        const word = (page << 5) | w;
        if (word !== currentWord) {
          currentWord = word;
          currentBits = wordBits(w);
        }
        const bits = w === wordInPage ? currentBits & (-1 << (position & 31)) : currentBits;
        if (bits === 0) continue;
        // Bits past the last entry may be set, but come after all entries.
        const hit = (word << 5) | lowestBit(bits);
        return hit < size ? hit : -1;
      }
      position = (page + 1) << PAGE_SHIFT;
    }
    return -1;
  };

  return {
    firstFrom,
    /** Visits eligible positions in [from, to) in order, until `visit` returns false. */
    forEachEligible: (from: number, to: number, visit: (position: number) => boolean | void): void => {
      for (let hit = firstFrom(from); hit !== -1 && hit < to; hit = firstFrom(hit + 1)) if (visit(hit) === false) return;
    },
  };
};
