import type { LedgerKeys } from '../../ledger/ledger-keys.ts';
import { entryMs } from '../../ledger/read/oldest-unstored.ts';
import { answerWithin } from '../../redis/answer-within.ts';
import type { RedisClient } from '../../redis/redis-client.ts';
import type { RedisLink } from '../../redis/redis-link.ts';
import { createReadMark } from './sink-marks.ts';

export interface SinkAgesOptions {
  readonly redis: RedisClient;
  readonly link: Pick<RedisLink, 'upOf'>;
  readonly keys: LedgerKeys;
}

const SHARD_TIMEOUT_MS = 300;

/**
 * How old the oldest event of each shard is that a sink does not have, in milliseconds: 0 when it has all, undefined when the shard does
 * not answer.
 */
export const createSinkAges = ({ redis, link, keys }: SinkAgesOptions) => {
  const readMark = createReadMark({ redis, keys });
  const ageOf = async (sink: string, shard: number, nowMs: number): Promise<number | undefined> => {
    if (!link.upOf(shard)) return undefined;
    const [oldest] = await redis.xrange(keys.events(shard), `(${await readMark(shard, sink)}`, '+', 'COUNT', 1);
    return Math.max(0, nowMs - entryMs(oldest?.[0]));
  };
  return (sink: string, nowMs: number): Promise<readonly (number | undefined)[]> =>
    Promise.all(
      Array.from({ length: keys.shards }, (_, shard) => answerWithin(SHARD_TIMEOUT_MS, ageOf(sink, shard, nowMs)).catch(() => undefined)),
    );
};
export type SinkAges = ReturnType<typeof createSinkAges>;

/** By the name of each sink, how old the oldest event is that it does not have, in seconds. Shards that do not answer are left out. */
export const createSinkLags = (ages: SinkAges, sinks: readonly string[]) => async (): Promise<Readonly<Record<string, number>>> => {
  const nowMs = Date.now();
  const lagOf = async (sink: string): Promise<[string, number]> => [
    sink,
    Math.max(...(await ages(sink, nowMs)).map((age) => age ?? 0)) / 1000,
  ];
  return Object.fromEntries(await Promise.all(sinks.map(lagOf)));
};

/** Until when a sink has every event; undefined: a shard does not answer. */
export const createSinkCompleteUntil = (ages: SinkAges, sink: string) => async (): Promise<Date | undefined> => {
  const nowMs = Date.now();
  const found = await ages(sink, nowMs);
  const known = found.filter((age) => age !== undefined);
  return known.length < found.length ? undefined : new Date(nowMs - Math.max(...known));
};
