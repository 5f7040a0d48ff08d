import type { Redis } from 'ioredis';
import { createRedisClient, type RedisClient } from '../../src/redis/redis-client.ts';
import type { RedisLink } from '../../src/redis/redis-link.ts';
import { VIRTUAL_TIME_LUA } from './virtual-time.ts';

/**
 * The connection of a replica. `down`: no call is sent. `loseReply`: the call runs, the replica sees a failure. `late`:
 * the replica sees a failure, and the call runs when `runLateCalls` is called. `killed`: the first call runs and its reply
 * is lost, the others are not sent.
 */
export type LinkMode = 'up' | 'down' | 'loseReply' | 'late' | 'killed';

/** A Redis client in virtual time, with faults. */
export interface FaultyRedis {
  readonly redis: RedisClient;
  readonly link: RedisLink;
  /** Ends the suspicion of earlier failed calls too. */
  setMode(mode: LinkMode): void;
  runLateCalls(): Promise<number>;
  dropLateCalls(): void;
}

export const createFaultyRedis = async (url: string): Promise<FaultyRedis> => {
  const redis = createRedisClient({ urls: [url], commandTimeoutMs: 30_000, name: 'chaos' }) as Redis;
  await new Promise<void>((resolve) => void redis.once('ready', () => resolve()));
  const defineCommand = redis.defineCommand.bind(redis);
  redis.defineCommand = (name, { lua, ...rest }) => defineCommand(name, { ...rest, lua: VIRTUAL_TIME_LUA + lua });
  const callFunctionCommand = redis.function.bind(redis) as (...args: unknown[]) => Promise<unknown>;
  const inVirtualTime = (argument: unknown) =>
    typeof argument === 'string' && argument.startsWith('#!lua') ? argument.replace('\n', `\n${VIRTUAL_TIME_LUA}`) : argument;
  Object.assign(redis, { function: (...args: unknown[]) => callFunctionCommand(...args.map(inVirtualTime)) });
  // Commands outside of scripts follow the virtual clock too.
  redis.defineCommand('expireVirtually', { lua: `return redis.call('EXPIRE', KEYS[1], ARGV[1])`, numberOfKeys: 1 });
  const virtual = redis as unknown as { expireVirtually(key: string, seconds: number): Promise<number> };
  Object.assign(redis, { expire: (key: string, seconds: number) => virtual.expireVirtually(key, seconds) });

  let mode: LinkMode = 'up';
  let suspected = false;
  /** A call was sent in this mode. */
  let sent = false;
  let late: (() => Promise<unknown>)[] = [];
  const send = redis.sendCommand.bind(redis);
  const fault = (why: string): Promise<never> => Promise.reject(new Error(`chaos: ${why}`));
  redis.sendCommand = (command, stream) => {
    if (mode === 'down') return fault('Redis is unavailable');
    if (mode === 'late') {
      late.push(() => Promise.resolve(send(command, stream)));
      return fault('the call timed out');
    }
    if (mode === 'killed' && sent) return fault('the replica was killed');
    sent = true;
    const reply = send(command, stream) as Promise<unknown>;
    return mode === 'loseReply' || mode === 'killed' ? reply.then(() => fault('the reply was lost')) : reply;
  };
  const isUp = (): boolean => mode !== 'down' && !suspected;
  return {
    redis,
    link: {
      get up() {
        return isUp();
      },
      upOf: isUp,
      suspect: () => {
        suspected = true;
      },
      roundTripSeconds: 0,
      stop: () => undefined,
    },
    setMode: (wanted) => {
      mode = wanted;
      suspected = sent = false;
    },
    runLateCalls: async () => {
      const calls = late;
      late = [];
      for (const call of calls)
        await call().catch((fault: unknown) => {
          // Redis has lost the library meanwhile: nothing has run.
          if (!(fault instanceof Error && fault.message.includes('Function not found'))) throw fault;
        });
      return calls.length;
    },
    dropLateCalls: () => {
      late = [];
    },
  };
};
