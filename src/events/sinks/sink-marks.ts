import type { LedgerKeys } from '../../ledger/ledger-keys.ts';
import { loadScript } from '../../redis/load-script.ts';
import type { RedisClient } from '../../redis/redis-client.ts';

/** How long a shard stays a replica's that no longer says so. */
export const HOLD_MS = 15_000;

export interface SinkMarksOptions {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  /** All of them: an entry is deleted when each has it. */
  readonly sinks: readonly string[];
  readonly replica: string;
  readonly holdMs?: number;
}

/** Reads the last entry that a sink has; '0-0': none. Rejects when the shard is unavailable. */
export const createReadMark =
  ({ redis, keys }: Pick<SinkMarksOptions, 'redis' | 'keys'>) =>
  async (shard: number, sink: string): Promise<string> =>
    (await redis.hget(keys.sinkMarks(shard), sink)) ?? '0-0';

/** Which entries of the event streams each sink has, in Redis. Each method rejects when the shard is unavailable. */
export const createSinkMarks = ({ redis, keys, sinks, replica, holdMs = HOLD_MS }: SinkMarksOptions) => {
  const define = (name: string, path: string, numberOfKeys: number) =>
    redis.defineCommand(name, { lua: loadScript(new URL(path, import.meta.url)), numberOfKeys });
  define('holdShard', './lua/hold-shard.lua', 1);
  define('advanceSink', './lua/advance-sink.lua', 3);
  define('finishEntries', './lua/finish-entries.lua', 2);
  const scripts = redis as unknown as Record<
    'holdShard' | 'advanceSink' | 'finishEntries',
    (...args: (string | number)[]) => Promise<number>
  >;
  return {
    /** Takes or keeps a shard for a sink. Resolves to whether it is this replica's. */
    hold: async (shard: number, sink: string): Promise<boolean> =>
      (await scripts.holdShard(keys.sinkOwner(shard, sink), replica, holdMs)) === 1,
    leave: async (shard: number, sink: string): Promise<void> => void (await scripts.holdShard(keys.sinkOwner(shard, sink), replica, 0)),
    /** The last entry that a sink has; '0-0': none. */
    read: createReadMark({ redis, keys }),
    /** Resolves to false when the shard is another replica's by now. */
    advance: async (shard: number, sink: string, id: string): Promise<boolean> =>
      (await scripts.advanceSink(
        ...[keys.events(shard), keys.sinkMarks(shard), keys.sinkOwner(shard, sink)],
        ...[replica, sink, id, ...sinks],
      )) === 1,
    /** Postgres has these entries. */
    finish: async (shard: number, ids: readonly string[]): Promise<void> =>
      void (await scripts.finishEntries(keys.events(shard), keys.sinkMarks(shard), sinks.length, ...sinks, ...ids)),
  };
};

export type SinkMarks = ReturnType<typeof createSinkMarks>;
