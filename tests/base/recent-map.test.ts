import { RecentMap } from '../../src/base/recent-map.ts';

const MAX = 10;

/** Of the keys, those that it has; to ask for one is to use it. */
const keptOf = (map: RecentMap<string, number>, keys: readonly string[]): readonly string[] =>
  keys.filter((key) => map.get(key) !== undefined);
const keysOf = (name: string, count: number): readonly string[] => Array.from({ length: count }, (_, i) => `${name}-${i}`);

test('keeps what was asked for lately, and drops what was not', () => {
  const map = new RecentMap<string, number>(MAX);
  map.set('used', 1);
  map.set('unused', 2);
  for (const key of keysOf('other', 10 * MAX)) {
    map.set(key, 3);
    expect(map.get('used')).toBe(1);
  }
  expect(map.get('unused')).toBeUndefined();
});

test('holds no more than its maximum, and at least half of it', () => {
  const map = new RecentMap<string, number>(MAX);
  const keys = keysOf('key', 10 * MAX);
  for (const [i, key] of keys.entries()) map.set(key, i);
  // Looked for from the newest one: what is found is not dropped for it.
  const kept = keptOf(map, keys.toReversed());
  expect(kept.length).toBeLessThanOrEqual(MAX);
  expect(kept).toEqual(keys.slice(-kept.length).toReversed());
  expect(kept.length).toBeGreaterThanOrEqual(MAX / 2);
});

test('a new value takes the place of the old one, wherever that is', () => {
  const map = new RecentMap<string, number>(MAX);
  map.set('changed', 1);
  for (const key of keysOf('other', MAX / 2)) map.set(key, 0);
  map.set('changed', 2);
  for (const key of keysOf('later', MAX / 2 - 2)) map.set(key, 0);
  expect(map.get('changed')).toBe(2);
});
