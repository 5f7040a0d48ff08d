import type { ScriptOptions } from '../ledger-keys.ts';
import { defineScript } from '../../redis/define-script.ts';
import { loadScript } from '../../redis/load-script.ts';

/** What of a shard's events is not in Postgres. The stream may have older entries: they wait for sinks. */
export interface Unstored {
  /** Id of the oldest entry; undefined: all are stored. */
  readonly oldest: string | undefined;
  readonly entries: number;
}

/** Rejects when the shard's Redis is unavailable. */
export type ReadUnstored = (shard: number) => Promise<Unstored>;

export const createReadUnstored = ({ redis, keys }: ScriptOptions): ReadUnstored => {
  const lua = loadScript(new URL('./oldest-unstored.lua', import.meta.url));
  const oldestUnstored = defineScript<[string, number]>(redis, 'oldestUnstored', 1, lua);
  return async (shard) => {
    const [oldest, entries] = await oldestUnstored(keys.events(shard));
    return { oldest: oldest === '' ? undefined : oldest, entries };
  };
};

/** The time in an id of an entry, epoch ms by Redis's clock; Infinity: there is no entry. */
export const entryMs = (id: string | undefined): number => (id === undefined ? Infinity : Number.parseInt(id, 10));
