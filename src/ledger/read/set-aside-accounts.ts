import type { ScriptOptions } from '../ledger-keys.ts';
import { brokenWords } from '../set-aside.ts';

/** An account whose sums or records were wrong: it takes no reservation until it is repaired. */
export interface SetAsideAccount {
  readonly publisherId: number;
  readonly kind: 'l' | 'c';
  readonly id: number;
  readonly why: string;
  readonly sinceMs: number;
  /** When all of its reservations have ended for certain, so that it can be repaired. */
  readonly safeAtMs: number;
}

/** Each method rejects when Redis is unavailable. */
export const createSetAsideReader = ({ redis, keys }: ScriptOptions) => {
  const shards = Array.from({ length: keys.shards }, (_, shard) => keys.broken(shard));
  return {
    count: async (): Promise<number> => (await Promise.all(shards.map((key) => redis.hlen(key)))).reduce((sum, count) => sum + count, 0),
    list: async (): Promise<readonly SetAsideAccount[]> => {
      const listed = await Promise.all(shards.map((key) => redis.hgetall(key)));
      return listed.flatMap((accounts) => Object.entries(accounts).map(([name, about]) => readEntry(name, about)));
    },
  };
};

/** As books.lua writes it: `<accounts key> <field>` → `<reason> <since> <safe at>`. */
const readEntry = (name: string, about: string): SetAsideAccount => {
  const [, publisher, kind, id] = /:(\d+) ([lc])(\d+)$/.exec(name) ?? [];
  const [code = 0, sinceMs = 0, safeAtMs = 0] = about.split(' ').map(Number);
  return { publisherId: Number(publisher), kind: kind as 'l' | 'c', id: Number(id), why: brokenWords(code), sinceMs, safeAtMs };
};
