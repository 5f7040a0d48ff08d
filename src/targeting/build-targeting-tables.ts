import { BITS_A_PAGE, createPagePool, EMPTY_PAGE, FULL_PAGE, PAGE_SHIFT, WORDS_A_PAGE } from './page-pool.ts';
import { EXCLUDED, type PairNumbers } from './compile-targeting.ts';
import { growable } from './growable.ts';
import { buildPairTable } from './pair-table.ts';
import type { TargetingTables } from './targeting-index.ts';
import { createWidePairs } from './wide-pairs.ts';

/**
 * Builds the targeting index of entries in rank order.
 *
 * @param targetingAt what `compileTargeting` returned for the entry at a position; called once for
 *   each, in order
 */
export const buildTargetingTables = (
  size: number,
  targetingAt: (position: number) => ArrayLike<number>,
  pairs: Pick<PairNumbers, 'textOf' | 'askedBitOf' | 'wideOf'>,
): TargetingTables => {
  const pageCount = Math.ceil(size / BITS_A_PAGE);
  const listings = createListings(pairs);
  for (let position = 0; position < size; position++) listings.add(position, targetingAt(position));
  const { byPair, postingSlot, postingNext, slotCount, asked, listed, entryOf, postingOf, ...wide } = listings.finish();

  // For each slot, a bit for every entry with a rule there; the complement is the unruled entries.
  const wordCount = pageCount * WORDS_A_PAGE;
  const ruled = Array.from({ length: slotCount }, () => new Int32Array(wordCount));
  const postingLength = new Int32Array(postingSlot.length + 1);
  for (let i = 0; i < listed; i++) {
    const posting = postingOf[i]!;
    const position = entryOf[i];
    const slot = postingSlot[posting]!;
    if (slot !== EXCLUDED) ruled[slot]![position! >>> 5]! |= 1 << (position! & 31);
    postingLength[posting + 1]!++;
  }

  // Collects each posting's entries with a counting sort, which keeps their order.
  const start = postingLength;
  for (let p = 0; p < postingSlot.length; p++) start[p + 1]! += start[p]!;
  const fill = start.slice();
  const gathered = new Int32Array(listed);
  for (let i = 0; i < listed; i++) {
    gathered[fill[postingOf[i]!]!++] = entryOf[i]!;
  }

  const pool = createPagePool();
  const words = new Int32Array(WORDS_A_PAGE);
  const unruled = new Int32Array(slotCount * pageCount);
  const nextUnruled = new Int32Array(slotCount * pageCount);
  for (let slot = 0; slot < slotCount; slot++) {
    for (let page = 0; page < pageCount; page++) {
      for (let w = 0; w < WORDS_A_PAGE; w++) words[w] = ~ruled[slot]![page * WORDS_A_PAGE + w]!;
      // Bits past the last entry stay set, so that a page without rules is the shared full page;
      // scans stop at the size.
      unruled[slot * pageCount + page] = pool.store(words);
    }
    for (let page = pageCount - 1, next = pageCount; page >= 0; page--) {
      if (unruled[slot * pageCount + page] !== EMPTY_PAGE) next = page;
      nextUnruled[slot * pageCount + page] = next;
    }
  }

  const postingStart = new Int32Array(postingSlot.length + 1);
  const pages = growable(256);
  const refs = growable(256);
  for (let posting = 0; posting < postingSlot.length; posting++) {
    let at = start[posting]!;
    const end = start[posting + 1]!;
    while (at < end) {
      const page = gathered[at]! >>> PAGE_SHIFT;
      words.fill(0);
      const first = at;
      for (; at < end && gathered[at]! >>> PAGE_SHIFT === page; at++) words[(gathered[at]! >>> 5) & 31]! |= 1 << (gathered[at]! & 31);
      pages.push(page);
      const everyEntry = at - first === Math.min(BITS_A_PAGE, size - page * BITS_A_PAGE);
      refs.push(everyEntry ? FULL_PAGE : pool.store(words));
    }
    postingStart[posting + 1] = pages.length();
  }

  return {
    shape: Int32Array.of(size, pageCount, slotCount, asked),
    pool: pool.finish(),
    unruled,
    nextUnruled,
    ...buildPairTable(new Map(Array.from(byPair, ([pair, posting]) => [pairs.textOf(pair), posting]))),
    postingSlot,
    postingNext,
    postingStart,
    postingPage: pages.finish(),
    postingRef: refs.finish(),
    ...wide,
  };
};

/**
 * Collects the entries listed under each pair in each slot, and numbers the (pair, slot) postings
 * in order of appearance. Slots that no entry has a rule in are left out.
 */
const createListings = (pairs: Pick<PairNumbers, 'askedBitOf' | 'wideOf'>) => {
  /** Nodes of ranges have the numbers below 0. */
  const byPair = new Map<number, number>();
  const postingSlot = growable(64);
  const postingNext = growable(64);
  const lastEntry = growable(64);
  const entryOf = growable(256);
  const postingOf = growable(256);
  const wide = createWidePairs();
  const ranges = growable(64);
  let asked = 0;

  const list = (position: number, pair: number, slot: number): void => {
    let posting = byPair.get(pair) ?? -1;
    let tail = -1;
    while (posting >= 0 && postingSlot.get(posting) !== slot) {
      tail = posting;
      posting = postingNext.get(posting);
    }
    if (posting < 0) {
      posting = postingSlot.push(slot);
      postingNext.push(-1);
      lastEntry.push(-1);
      if (tail < 0) byPair.set(pair, posting);
      else postingNext.set(tail, posting);
    }
    // Two rules may exclude the same, and two ranges share a node.
    if (lastEntry.get(posting) === position) return;
    lastEntry.set(posting, position);
    entryOf.push(position);
    postingOf.push(posting);
  };

  const add = (position: number, targeting: ArrayLike<number>): void => {
    for (let i = 0; i < targeting.length; i += 2) {
      const slot = targeting[i]!;
      const pair = targeting[i + 1]!;
      const named = pairs.wideOf(pair);
      if (named !== undefined) wide.add(named);
      if (named === undefined || 'prefix' in named) {
        list(position, pair, slot);
        asked |= pairs.askedBitOf(pair);
        continue;
      }
      // Its nodes are known when all ranges are.
      ranges.push(position);
      ranges.push(slot);
      ranges.push(pair);
    }
  };

  const listRanges = (): void => {
    for (let i = 0; i < ranges.length(); i += 3) {
      const named = pairs.wideOf(ranges.get(i + 2));
      if (named === undefined || 'prefix' in named) continue;
      const [position, pair, slot] = [ranges.get(i), ranges.get(i + 2), ranges.get(i + 1)];
      const nodes = wide.nodesOf(named.spelling, named.range);
      for (const node of nodes) list(position, -1 - node, slot);
      // A range without a number (3 to 1) is met by no request, as is the pair of a range itself; without a listing it would be no rule.
      if (nodes.length === 0) list(position, pair, slot);
    }
  };

  const finish = () => {
    listRanges();
    const slots = postingSlot.finish();
    const used = [...new Set(slots)].filter((slot) => slot !== EXCLUDED).sort((a, b) => a - b);
    const compact = new Map(used.map((slot, at) => [slot, at]));
    return {
      byPair: new Map([...byPair].filter(([pair]) => pair >= 0)),
      slotCount: used.length,
      asked,
      postingSlot: slots.map((slot) => compact.get(slot) ?? EXCLUDED),
      postingNext: postingNext.finish(),
      listed: entryOf.length(),
      entryOf: entryOf.finish(),
      postingOf: postingOf.finish(),
      ...wide.finish((node) => byPair.get(-1 - node) ?? -1),
    };
  };
  return { add, finish };
};
