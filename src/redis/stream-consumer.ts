import { defineScript } from './define-script.ts';
import { loadScript } from './load-script.ts';
import type { RedisClient } from './redis-client.ts';

/**
 * An entry of a stream. Without fields it has already been deleted from the stream and only has to
 * be acknowledged.
 */
export type StreamEntry = readonly [id: string, fields: readonly string[] | null];

export interface StreamConsumerOptions {
  readonly redis: RedisClient;
  readonly group: string;
  /** This replica's name in the group. */
  readonly name: string;
  readonly keyTtlS: number;
}

/**
 * One member of a consumer group. A read from a missing group creates the group and returns no
 * entries.
 */
export const createStreamConsumer = ({ redis, group, name, keyTtlS }: StreamConsumerOptions) => {
  const lua = loadScript(new URL('./lua/retire-consumers.lua', import.meta.url));
  const retireConsumers = defineScript<number>(redis, 'retireConsumers', 1, lua);

  const createGroup = async (stream: string): Promise<void> => {
    try {
      await redis.xgroup('CREATE', stream, group, '0', 'MKSTREAM');
      await redis.expire(stream, keyTtlS);
    } catch (fault) {
      // Another replica has created the group.
      if (!String((fault as Error).message).startsWith('BUSYGROUP')) throw fault;
    }
  };

  const orCreateGroup = async (stream: string, read: () => Promise<readonly StreamEntry[]>): Promise<readonly StreamEntry[]> => {
    try {
      return await read();
    } catch (fault) {
      if (!String((fault as Error).message).startsWith('NOGROUP')) throw fault;
      await createGroup(stream);
      return [];
    }
  };

  const read = (stream: string, from: '>' | '0', count: number) =>
    orCreateGroup(stream, async () => {
      const reply = (await redis.xreadgroup('GROUP', group, name, 'COUNT', count, 'STREAMS', stream, from)) as
        [string, StreamEntry[]][] | null;
      return reply?.[0]?.[1] ?? [];
    });

  return {
    /** Up to `count` entries that have not been delivered to any consumer. */
    fresh: (stream: string, count: number) => read(stream, '>', count),
    /** Entries delivered to this consumer and not finished: processing failed, or the reply was lost. */
    unfinished: (stream: string, count: number) => read(stream, '0', count),
    /** Claims entries that any consumer has held for longer than `idleMs`. */
    abandoned: (stream: string, idleMs: number, count: number) =>
      orCreateGroup(stream, async () => {
        const [, entries] = (await redis.xautoclaim(stream, group, name, idleMs, '0', 'COUNT', count)) as [string, StreamEntry[]];
        return entries;
      }),
    /** Acknowledges and deletes in one step: an entry that was only acknowledged would stay in the stream. */
    finish: async (stream: string, ids: readonly string[]): Promise<void> => {
      const replies = await redis
        .multi()
        .xack(stream, group, ...ids)
        .xdel(stream, ...ids)
        .exec();
      const fault = replies?.find(([error]) => error)?.[0];
      if (fault) throw fault;
    },
    /**
     * Leaves the group, unless this consumer has pending entries: deleting a consumer deletes its
     * pending entries, and other replicas could no longer claim them.
     */
    leave: async (stream: string): Promise<void> => {
      if ((await redis.exists(stream)) === 0) return;
      const owed = await redis.xpending(stream, group, '-', '+', 1, name);
      if (owed.length === 0) await redis.xgroup('DELCONSUMER', stream, group, name);
    },
    /** Deletes the members of the group that hold no entries and have been idle for longer than `idleMs`. */
    retireOthers: (stream: string, idleMs: number) => retireConsumers(stream, group, idleMs),
  };
};
