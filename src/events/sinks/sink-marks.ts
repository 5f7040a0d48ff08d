import type { LedgerKeys } from '../../ledger/ledger-keys.ts';
import { loadScript } from '../../redis/load-script.ts';
import type { RedisClient } from '../../redis/redis-client.ts';

/** How long a shard stays a replica's that no longer says so. */
export const HOLD_MS = 15_000;

/** Which entries of the event streams each sink has, in Redis. Each method rejects when the shard is unavailable. */
export interface SinkMarks {
  /** Takes or keeps a shard for a sink. Resolves to whether it is this replica's. */
  hold(shard: number, sink: string): Promise<boolean>;
  leave(shard: number, sink: string): Promise<void>;
  /** The last entry that a sink has; '0-0': none. */
  read(shard: number, sink: string): Promise<string>;
  /** Resolves to false when the shard is another replica's by now. */
  advance(shard: number, sink: string, id: string): Promise<boolean>;
  /** Postgres has these entries. */
  finish(shard: number, ids: readonly string[]): Promise<void>;
}

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
  ({ redis, keys }: Pick<SinkMarksOptions, 'redis' | 'keys'>): SinkMarks['read'] =>
  async (shard, sink) =>
    (await redis.hget(keys.sinkMarks(shard), sink)) ?? '0-0';

export const createSinkMarks = ({ redis, keys, sinks, replica, holdMs = HOLD_MS }: SinkMarksOptions): SinkMarks => {
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
    hold: async (shard, sink) => (await scripts.holdShard(keys.sinkOwner(shard, sink), replica, holdMs)) === 1,
    leave: async (shard, sink) => void (await scripts.holdShard(keys.sinkOwner(shard, sink), replica, 0)),
    read: createReadMark({ redis, keys }),
    advance: async (shard, sink, id) =>
      (await scripts.advanceSink(
        ...[keys.events(shard), keys.sinkMarks(shard), keys.sinkOwner(shard, sink)],
        ...[replica, sink, id, ...sinks],
      )) === 1,
    finish: async (shard, ids) =>
      void (await scripts.finishEntries(keys.events(shard), keys.sinkMarks(shard), sinks.length, ...sinks, ...ids)),
  };
};
