import { copyText } from './copy-text.ts';

/**
 * A cache of what was asked for lately, of about `max` entries, for the path of a request: what is found takes one look into one map, where a
 * list of all entries in the order of their use takes half as much again to find and to change. There are two maps; the newer one takes
 * what is new or found in the older one, and when it is full the older one is dropped.
 */
export class RecentMap<Key, Value extends NonNullable<unknown>> {
  private newer = new Map<Key, Value>();
  private older = new Map<Key, Value>();
  private readonly maxNewer: number;

  constructor(max: number) {
    this.maxNewer = Math.ceil(max / 2);
  }

  get(key: Key): Value | undefined {
    const value = this.newer.get(key);
    if (value !== undefined) return value;
    const old = this.older.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: Key, value: Value): void {
    if (this.newer.size >= this.maxNewer && !this.newer.has(key)) {
      this.older = this.newer;
      this.newer = new Map();
    }
    this.newer.set(key, value);
  }
}

/** The answers of `look`, of which about `max` are kept. A text may be a slice of a long header or body: the cache keeps a copy. */
export const remembered = <Value extends NonNullable<unknown>>(max: number, look: (text: string) => Value): ((text: string) => Value) => {
  const known = new RecentMap<string, Value>(max);
  return (text) => {
    let value = known.get(text);
    if (value === undefined) {
      value = look(text);
      known.set(copyText(text), value);
    }
    return value;
  };
};
