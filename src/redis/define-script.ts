import type { RedisClient } from './redis-client.ts';

/** Calls a script: the keys, then the arguments. */
export type CallScript<Reply> = (...keysAndArgs: (string | number)[]) => Promise<Reply>;

/**
 * Returns the call of a script, which is sent by its hash and, to a server that does not know it, as a whole.
 *
 * @param name of the command on this connection
 * @param lua the text of loadScript
 */
export const defineScript = <Reply>(redis: RedisClient, name: string, numberOfKeys: number, lua: string): CallScript<Reply> => {
  redis.defineCommand(name, { lua, numberOfKeys });
  return (redis as unknown as Record<string, CallScript<Reply>>)[name]!.bind(redis);
};
