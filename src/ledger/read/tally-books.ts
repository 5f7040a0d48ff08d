import { loadScript } from '../../redis/load-script.ts';
import type { RedisClient } from '../../redis/redis-client.ts';
import type { LedgerKeys } from '../ledger-keys.ts';

/** The tallies that can be compared with rows in Postgres. */
export const TALLIES = ['filtered', 'eventTally'] as const;
export type Tally = (typeof TALLIES)[number];

/** Fields of a tally at one moment, and what was then on its way to Postgres. */
export interface CheckedTally {
  /** The number of the last adjustment in the shard. */
  readonly adjustment: string;
  /** Fields of the entries in the shard's event stream; undefined: there are too many. */
  readonly entries: readonly (readonly string[])[] | undefined;
  /** In the order of the fields. */
  readonly counts: readonly number[];
}

/** Compares and corrects the tallies of a shard. Each method rejects when Redis is unavailable. */
export interface TallyBooks {
  readonly shards: number;
  shardOf(publisherId: number): number;
  /** The fields that a tally has of this day or later days. */
  fields(tally: Tally, shard: number, fromDay: number): Promise<readonly string[]>;
  /** Up to MAX_FIELDS fields. */
  check(tally: Tally, shard: number, fields: readonly string[]): Promise<CheckedTally>;
  /** Adds differences. Resolves to whether it did: not when there was another adjustment in the shard since they were checked. */
  adjust(tally: Tally, shard: number, checked: CheckedTally, differences: readonly (readonly [string, number])[]): Promise<boolean>;
}

/** Fields of a call. With 1,000 events it takes Redis about 1 ms. */
export const MAX_FIELDS = 500;
const MAX_EVENTS = 1_000;
const SCAN_COUNT = 500;

export const createTallyBooks = ({ redis, keys }: { readonly redis: RedisClient; readonly keys: LedgerKeys }): TallyBooks => {
  const load = (path: string) => loadScript(new URL(path, import.meta.url));
  redis.defineCommand('checkTally', { lua: load('./check-tally.lua'), numberOfKeys: 3 });
  redis.defineCommand('adjustTally', { lua: load('./adjust-tally.lua'), numberOfKeys: 2 });
  const scripts = redis as unknown as {
    checkTally(...args: (string | number)[]): Promise<[string, string[][] | null, number[]]>;
    adjustTally(...args: (string | number)[]): Promise<number>;
  };
  return {
    shards: keys.shards,
    shardOf: keys.shardOf,
    fields: async (tally, shard, fromDay) => {
      const found = new Set<string>();
      let cursor = '0';
      do {
        const [next, flat] = await redis.hscan(keys[tally](shard), cursor, 'COUNT', SCAN_COUNT);
        cursor = next;
        for (const [i, field] of flat.entries()) if (i % 2 === 0 && Number.parseInt(field, 10) >= fromDay) found.add(field);
      } while (cursor !== '0');
      return [...found];
    },
    check: async (tally, shard, fields) => {
      const [adjustment, entries, counts] = await scripts.checkTally(
        ...[keys[tally](shard), keys.events(shard), keys.adjustment(shard)],
        ...[MAX_EVENTS, ...fields],
      );
      return { adjustment, entries: entries ?? undefined, counts };
    },
    adjust: async (tally, shard, { adjustment }, differences) =>
      (await scripts.adjustTally(keys[tally](shard), keys.adjustment(shard), adjustment, ...differences.flat())) === 1,
  };
};
