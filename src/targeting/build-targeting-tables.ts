import { BITS_A_PAGE, createPagePool, EMPTY_PAGE, FULL_PAGE, PAGE_SHIFT, WORDS_A_PAGE } from './page-pool.ts';
import type { PairNumbers } from './compile-targeting.ts';
import { buildPairTable } from './pair-table.ts';
import type { TargetingTables } from './targeting-index.ts';
import { CONTEXT_KINDS } from './targeting-rules.ts';

/**
 * Builds the targeting index of entries in rank order.
 *
 * @param targetingAt what `compileTargeting` returned for the entry at a position; called once for
 *   each, in order
 */
export const buildTargetingTables = (
  size: number,
  targetingAt: (position: number) => ArrayLike<number>,
  pairs: Pick<PairNumbers, 'textOf'>,
): TargetingTables => {
  const pageCount = Math.ceil(size / BITS_A_PAGE);
  const listings = createListings();
  for (let position = 0; position < size; position++) listings.add(position, targetingAt(position));
  const { byPair, postingSlot, postingNext, slotCount, listed, entryOf, postingOf } = listings.finish();

  // For each slot, a bit for every entry with a rule there; the complement is the unruled entries.
  const wordCount = pageCount * WORDS_A_PAGE;
  const ruled = Array.from({ length: slotCount }, () => new Int32Array(wordCount));
  const postingLength = new Int32Array(postingSlot.length + 1);
  for (let i = 0; i < listed; i++) {
    const posting = postingOf[i]!;
    const position = entryOf[i];
    ruled[postingSlot[posting]!]![position! >>> 5]! |= 1 << (position! & 31);
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
    shape: Int32Array.of(size, pageCount, slotCount),
    pool: pool.finish(),
    unruled,
    nextUnruled,
    ...buildPairTable(new Map(Array.from(byPair, ([pair, posting]) => [pairs.textOf(pair), posting]))),
    postingSlot,
    postingNext,
    postingStart,
    postingPage: pages.finish(),
    postingRef: refs.finish(),
  };
};

/**
 * Collects the entries listed under each pair in each slot, and numbers the (pair, slot) postings
 * in order of appearance.
 */
const createListings = () => {
  const byPair = new Map<number, number>();
  const postingSlot = growable(64);
  const postingNext = growable(64);
  const entryOf = growable(256);
  const postingOf = growable(256);
  let slotCount = CONTEXT_KINDS.length;

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
      if (tail < 0) byPair.set(pair, posting);
      else postingNext.set(tail, posting);
    }
    entryOf.push(position);
    postingOf.push(posting);
  };

  const add = (position: number, targeting: ArrayLike<number>): void => {
    for (let i = 0; i < targeting.length; i += 2) {
      const slot = targeting[i]!;
      slotCount = Math.max(slotCount, slot + 1);
      list(position, targeting[i + 1]!, slot);
    }
  };

  const finish = () => ({
    byPair,
    slotCount,
    postingSlot: postingSlot.finish(),
    postingNext: postingNext.finish(),
    listed: entryOf.length(),
    entryOf: entryOf.finish(),
    postingOf: postingOf.finish(),
  });
  return { add, finish };
};

/**
 * A list of 32-bit integers that doubles its length when it is full: growing copies memory and
 * boxes nothing.
 */
const growable = (room: number) => {
  let items = new Int32Array(room);
  let used = 0;
  return {
    push: (item: number): number => {
      if (used === items.length) {
        const larger = new Int32Array(used * 2);
        larger.set(items);
        items = larger;
      }
      items[used] = item;
      return used++;
    },
    get: (at: number): number => items[at]!,
    set: (at: number, item: number): void => {
      items[at] = item;
    },
    length: () => used,
    finish: () => items.slice(0, used),
  };
};
