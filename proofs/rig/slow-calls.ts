import { Redis } from 'ioredis';

/** Redis's own log of what its script calls took by the clock: without what its main thread does between commands. */
export interface SlowCalls {
  /** The longest of the calls since the last time that this was asked, in ms; 0: none was longer than what it logs. */
  longestMs(): Promise<number>;
  close(): void;
}

const LOGGED_US = 500;
const MAX_LOGGED = 1_000_000;
const CALLS = ['fcall', 'evalsha', 'eval'];

export const openSlowCalls = async (port: number): Promise<SlowCalls> => {
  const redis = new Redis(port, '127.0.0.1');
  await redis.config('SET', 'slowlog-log-slower-than', String(LOGGED_US));
  await redis.config('SET', 'slowlog-max-len', String(MAX_LOGGED));
  const reset = (): Promise<unknown> => redis.call('SLOWLOG', 'RESET');
  await reset();
  return {
    longestMs: async () => {
      const entries = (await redis.call('SLOWLOG', 'GET', '-1')) as readonly (readonly [number, number, number, readonly string[]])[];
      await reset();
      return entries
        .filter(([, , , [name = '']]) => CALLS.includes(name.toLowerCase()))
        .reduce((longest, [, , micros]) => Math.max(longest, micros / 1_000), 0);
    },
    close: () => redis.disconnect(),
  };
};
