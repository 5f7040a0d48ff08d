import type { LedgerKeys } from '../../ledger/ledger-keys.ts';
import { entryMs } from '../../ledger/read/oldest-unstored.ts';
import { answerWithin } from '../../redis/answer-within.ts';
import type { RedisClient } from '../../redis/redis-client.ts';
import type { RedisLink } from '../../redis/redis-link.ts';
import type { SinkMarks } from './sink-marks.ts';

export interface SinkLagsOptions {
  readonly redis: RedisClient;
  readonly link: Pick<RedisLink, 'upOf'>;
  readonly keys: LedgerKeys;
  readonly sinks: readonly string[];
  readonly marks: Pick<SinkMarks, 'read'>;
}

const SHARD_TIMEOUT_MS = 300;

/** How old the oldest event is that each sink does not have, in seconds. Shards that do not answer are left out. */
export const createSinkLags =
  ({ redis, link, keys, sinks, marks }: SinkLagsOptions) =>
  async (): Promise<Readonly<Record<string, number>>> => {
    const nowMs = Date.now();
    const ageOf = async (sink: string, shard: number): Promise<number> => {
      if (!link.upOf(shard)) return 0;
      const [oldest] = await redis.xrange(keys.events(shard), `(${await marks.read(shard, sink)}`, '+', 'COUNT', 1);
      return Math.max(0, nowMs - entryMs(oldest?.[0])) / 1000;
    };
    const shards = Array.from({ length: keys.shards }, (_, shard) => shard);
    const lagOf = async (sink: string): Promise<[string, number]> => {
      const ages = await Promise.all(shards.map((shard) => answerWithin(SHARD_TIMEOUT_MS, ageOf(sink, shard)).catch(() => 0)));
      return [sink, Math.max(...ages)];
    };
    return Object.fromEntries(await Promise.all(sinks.map(lagOf)));
  };
