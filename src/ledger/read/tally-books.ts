import { defineScript } from '../../redis/define-script.ts';
import { loadScript } from '../../redis/load-script.ts';
import type { ScriptOptions } from '../ledger-keys.ts';

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

/** Fields of a call. With 1,000 events it takes Redis about 1 ms. */
export const MAX_FIELDS = 500;
const MAX_EVENTS = 1_000;
const SCAN_COUNT = 500;

/** Compares and corrects the tallies of a shard. Each method rejects when Redis is unavailable. */
export const createTallyBooks = ({ redis, keys }: ScriptOptions) => {
  const load = (path: string) => loadScript(new URL(path, import.meta.url));
  const checkFields = defineScript<[string, string[][] | null, number[]]>(redis, 'checkTally', 3, load('./check-tally.lua'));
  const adjustFields = defineScript<number>(redis, 'adjustTally', 2, load('./adjust-tally.lua'));
  return {
    shards: keys.shards,
    shardOf: keys.shardOf,
    /** The fields that a tally has of this day or later days. */
    fields: async (tally: Tally, shard: number, fromDay: number): Promise<readonly string[]> => {
      const found = new Set<string>();
      let cursor = '0';
      do {
        const [next, flat] = await redis.hscan(keys[tally](shard), cursor, 'COUNT', SCAN_COUNT);
        cursor = next;
        for (const [i, field] of flat.entries()) if (i % 2 === 0 && Number.parseInt(field, 10) >= fromDay) found.add(field);
      } while (cursor !== '0');
      return [...found];
    },
    /** Up to MAX_FIELDS fields. */
    check: async (tally: Tally, shard: number, fields: readonly string[]): Promise<CheckedTally> => {
      const [adjustment, entries, counts] = await checkFields(
        ...[keys[tally](shard), keys.events(shard), keys.adjustment(shard)],
        ...[MAX_EVENTS, ...fields],
      );
      return { adjustment, entries: entries ?? undefined, counts };
    },
    /** Adds differences. Resolves to whether it did: not when there was another adjustment in the shard since they were checked. */
    adjust: async (tally: Tally, shard: number, { adjustment }: CheckedTally, differences: readonly (readonly [string, number])[]) =>
      (await adjustFields(keys[tally](shard), keys.adjustment(shard), adjustment, ...differences.flat())) === 1,
  };
};

export type TallyBooks = ReturnType<typeof createTallyBooks>;
