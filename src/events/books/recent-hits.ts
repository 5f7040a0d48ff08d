/** Hits are remembered for one to two of these times: longer than one is on its way to its row. */
const AGE_BEATS = 5;
/** Taken with the first hit: a cluster has up to 256 scopes, each with a memory of its hits. */
const FIRST_BYTES = 16_384;
/** About 25,000 hits. With more the time for which they are remembered is shorter. */
const MAX_BYTES = 8_388_608;
/** Ends a text: a line feed, of which JSON has none. */
const END = 0x0a;
/** Bytes of a character (UTF-16 unit) in UTF-8. */
const MAX_CHARACTER_BYTES = 3;

/**
 * The hits that a scope of Redis has taken from this replica in the last seconds: between them and their rows lies the stream, which a
 * loss of Redis takes too. As bytes (ledger/hit-text.ts): texts that live for seconds took the garbage collector
 * 2 of 50 µs of an impression.
 */
export const createRecentHits = () => {
  let newer = createTexts();
  let older = createTexts();
  const once = new Set<string>();
  let beats = 0;
  const age = (): void => {
    [older, newer] = [newer, older];
    newer.clear();
    once.clear();
  };
  const note = (hitText: string): void => {
    if (newer.add(hitText)) return;
    age();
    newer.add(hitText);
  };
  return {
    note,
    /** Notes only the first with this key while it is remembered: who sends a hit a thousand times takes the room of one. */
    noteOnce: (key: string, hitText: string): void => {
      if (once.has(key)) return;
      once.add(key);
      note(hitText);
    },
    /**
     * Once a second: hits are remembered for 5 to 10 beats. Those count in which the scope answered with what it had: hits of before
     * an outage are remembered until its end, because what Redis took last may be missing then.
     */
    beat: (isSure: boolean): void => {
      if (isSure && ++beats % AGE_BEATS === 0) age();
    },
    /** Those that are remembered. */
    list: (): readonly string[] => [...older.list(), ...newer.list()],
  };
};

export type RecentHits = ReturnType<typeof createRecentHits>;

const createTexts = () => {
  let bytes = Buffer.allocUnsafeSlow(0);
  let used = 0;
  const grow = (needed: number): boolean => {
    if (needed > MAX_BYTES) return false;
    const larger = Buffer.allocUnsafeSlow(Math.min(MAX_BYTES, Math.max(needed, 2 * bytes.length, FIRST_BYTES)));
    bytes.copy(larger, 0, 0, used);
    bytes = larger;
    return true;
  };
  return {
    /** False: there is no room for it. */
    add: (text: string): boolean => {
      const needed = used + MAX_CHARACTER_BYTES * text.length + 1;
      if (needed > bytes.length && !grow(needed)) return false;
      used += bytes.write(text, used);
      bytes[used++] = END;
      return true;
    },
    clear: (): void => {
      used = 0;
    },
    list: (): readonly string[] => bytes.toString('utf8', 0, used).split('\n').slice(0, -1),
  };
};
