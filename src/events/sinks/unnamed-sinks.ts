import { createRounds } from '../../base/rounds.ts';
import { MS_PER_DAY, MS_PER_MINUTE } from '../../base/utc-day.ts';
import type { LedgerKeys } from '../../ledger/ledger-keys.ts';
import { entryMs } from '../../ledger/read/oldest-unstored.ts';
import type { RedisClient } from '../../redis/redis-client.ts';
import type { RedisLink } from '../../redis/redis-link.ts';

/** A sink that was handed events, and that SINKS of this replica does not name. */
export interface UnnamedSink {
  readonly name: string;
  /** When its last event was settled, epoch ms. */
  readonly lastMs: number;
  /** Another replica hands it events now. What this replica stores and deletes first, it does not get. */
  readonly isServed: boolean;
}

export interface UnnamedSinksOptions {
  readonly redis: RedisClient;
  readonly link: Pick<RedisLink, 'upOf'>;
  readonly keys: LedgerKeys;
  /** Of SINKS. */
  readonly names: readonly string[];
}

/** A sink that got its last event earlier was left out on purpose. */
const RECENT_MS = 7 * MS_PER_DAY;

/** Reads which sinks have marks in Redis, of this week, and are not among `names`. Rejects when a shard fails; one that is down is left out. */
export const createReadUnnamedSinks =
  ({ redis, link, keys, names }: UnnamedSinksOptions) =>
  async (nowMs: number): Promise<readonly UnnamedSink[]> => {
    const found = new Map<string, UnnamedSink>();
    const read = async (shard: number): Promise<void> => {
      for (const [name, mark] of Object.entries(await redis.hgetall(keys.sinkMarks(shard)))) {
        if (names.includes(name) || nowMs - entryMs(mark) > RECENT_MS) continue;
        const isServed = (await redis.exists(keys.sinkOwner(shard, name))) === 1;
        const before = found.get(name);
        found.set(name, {
          name,
          lastMs: Math.max(entryMs(mark), before?.lastMs ?? 0),
          isServed: isServed || before?.isServed === true,
        });
      }
    };
    const shards = Array.from({ length: keys.shards }, (_, shard) => shard);
    await Promise.all(shards.filter((shard) => link.upOf(shard)).map(read));
    return [...found.values()];
  };

export interface WatchUnnamedSinksOptions extends UnnamedSinksOptions {
  /** Called when a sink is found, and again when `isServed` has changed. */
  readonly onFound: (sink: UnnamedSink) => void;
}

/** Looks each minute for sinks that SINKS of this replica lacks: all replicas have the same, or those that they do not share lose events. */
export const createWatchUnnamedSinks = ({ onFound, ...options }: WatchUnnamedSinksOptions) => {
  const read = createReadUnnamedSinks(options);
  let known: readonly UnnamedSink[] = [];
  const rounds = createRounds({
    pauseMs: MS_PER_MINUTE,
    round: async () => {
      const before = new Map(known.map(({ name, isServed }) => [name, isServed]));
      known = await read(Date.now());
      for (const sink of known) if (before.get(sink.name) !== sink.isServed) onFound(sink);
    },
    // The gauges of Redis show a failure.
    onFailure: () => undefined,
  });
  return {
    ...rounds,
    /** Sinks that other replicas hand events to now. */
    served: (): number => known.filter(({ isServed }) => isServed).length,
  };
};
