import type { RedisClient } from './redis-client.ts';
import { loadScript } from './load-script.ts';

/**
 * An entry of a stream. Without fields it has already been deleted from the stream and only has to
 * be acknowledged.
 */
export type StreamEntry = readonly [id: string, fields: readonly string[] | null];

/**
 * One member of a consumer group. A read from a missing group creates the group and returns no
 * entries.
 */
export interface StreamConsumer {
  /** Up to `count` entries that have not been delivered to any consumer. */
  fresh(stream: string, count: number): Promise<readonly StreamEntry[]>;
  /**
   * Entries delivered to this consumer and not finished: processing failed, or the reply was lost.
   */
  unfinished(stream: string, count: number): Promise<readonly StreamEntry[]>;
  /** Claims entries that any consumer has held for longer than `idleMs`. */
  abandoned(stream: string, idleMs: number, count: number): Promise<readonly StreamEntry[]>;
  /**
   * Acknowledges and deletes in one step: an entry that was only acknowledged would stay in the
   * stream.
   */
  finish(stream: string, ids: readonly string[]): Promise<void>;
  /**
   * Leaves the group, unless this consumer has pending entries: deleting a consumer deletes its
   * pending entries, and other replicas could no longer claim them.
   */
  leave(stream: string): Promise<void>;
  /**
   * Deletes the members of the group that hold no entries and have been idle for longer than
   * `idleMs`.
   */
  retireOthers(stream: string, idleMs: number): Promise<number>;
}

export interface StreamConsumerOptions {
  readonly redis: RedisClient;
  readonly group: string;
  /** This replica's name in the group. */
  readonly name: string;
  readonly keyTtlS: number;
}

export const createStreamConsumer = ({ redis, group, name, keyTtlS }: StreamConsumerOptions): StreamConsumer => {
  redis.defineCommand('retireConsumers', { lua: loadScript(new URL('./lua/retire-consumers.lua', import.meta.url)), numberOfKeys: 1 });
  const scripts = redis as unknown as { retireConsumers(stream: string, group: string, idleMs: number): Promise<number> };

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
    fresh: (stream, count) => read(stream, '>', count),
    unfinished: (stream, count) => read(stream, '0', count),
    abandoned: (stream, idleMs, count) =>
      orCreateGroup(stream, async () => {
        const [, entries] = (await redis.xautoclaim(stream, group, name, idleMs, '0', 'COUNT', count)) as [string, StreamEntry[]];
        return entries;
      }),
    finish: async (stream, ids) => {
      const replies = await redis
        .multi()
        .xack(stream, group, ...ids)
        .xdel(stream, ...ids)
        .exec();
      const fault = replies?.find(([error]) => error)?.[0];
      if (fault) throw fault;
    },
    leave: async (stream) => {
      if ((await redis.exists(stream)) === 0) return;
      const owed = await redis.xpending(stream, group, '-', '+', 1, name);
      if (owed.length === 0) await redis.xgroup('DELCONSUMER', stream, group, name);
    },
    retireOthers: (stream, idleMs) => scripts.retireConsumers(stream, group, idleMs),
  };
};
