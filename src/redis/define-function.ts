import { createHash } from 'node:crypto';
import { Cluster } from 'ioredis';
import type { RedisClient } from './redis-client.ts';

export interface LibraryOptions {
  /** Starts the name of the library, which ends with a hash of its text. */
  readonly name: string;
  /** The text of loadScript. */
  readonly lua: string;
}

export interface FunctionOptions extends LibraryOptions {
  /** The Lua function `(keys, args)` that a call runs. */
  readonly entry: string;
}

/** Calls a function of a library: the number of keys, the keys, the arguments. */
export type CallFunction<Reply> = (keyCount: number, ...args: string[]) => Promise<Reply>;

/** How many versions of a library a server keeps; replicas of two run during a deployment. */
const MAX_VERSIONS = 4;
/** Of one call: a replica of another version may delete this one meanwhile, when a server has too many. */
const MAX_LOADS = 3;

/** Returns the call of a library with one function. */
export const defineFunction = <Reply>(redis: RedisClient, { entry, ...library }: FunctionOptions): CallFunction<Reply> =>
  defineLibrary(redis, library, [entry])<Reply>(entry);

/**
 * Returns the calls of the Lua functions that Redis keeps in a library (Redis 7). A script that is sent
 * with EVALSHA creates all its functions anew in each call: for the 70 of reserve.lua that took 20
 * to 25 µs, and 1.7 µs of each ad when twelve share a call.
 *
 * A server without the library (new, restarted without its data) refuses the call before anything
 * has run. It then gets the library, and the call is sent again.
 *
 * @param entries Lua functions `(keys, args)` of the library
 */
export const defineLibrary = (
  redis: RedisClient,
  { name, lua }: LibraryOptions,
  entries: readonly string[],
): (<Reply>(entry: string) => CallFunction<Reply>) => {
  const library = `${name}_${createHash('sha256').update(lua).digest('hex').slice(0, 16)}`;
  const nameOf = (entry: string): string => (entry === entries[0] ? library : `${library}_${entry}`);
  const registered = entries.map((entry) => `redis.register_function('${nameOf(entry)}', ${entry})`);
  const text = `#!lua name=${library}\n${lua}\n${registered.join('\n')}\n`;
  let loading: Promise<void> | undefined;

  const load = async (): Promise<void> => {
    const servers = redis instanceof Cluster ? redis.nodes('master') : [redis];
    const loaded = await Promise.allSettled(
      servers.map(async (server) => {
        // Another replica may have loaded it meanwhile. Loading it again would reset its variables.
        await server.function('LOAD', text).catch((fault: unknown) => {
          if (!(fault instanceof Error && fault.message.includes('already exists'))) throw fault;
        });
        const known = (await server.function('LIST', 'LIBRARYNAME', `${name}_*`)) as [string, string, ...unknown[]][];
        const others = known.map(([, version]) => version).filter((version) => version !== library);
        for (const version of others.slice(MAX_VERSIONS - 1)) await server.function('DELETE', version);
      }),
    );
    // A node that is away gets the library when a call has reached it.
    const failed = loaded.find((result) => result.status === 'rejected');
    if (failed && loaded.every((result) => result.status === 'rejected')) throw failed.reason;
  };

  return <Reply>(entry: string) => {
    const called = nameOf(entry);
    return async function callFunction(keyCount, ...args) {
      for (let loads = 0; ; loads++) {
        try {
          return (await redis.fcall(called, keyCount, ...args)) as Reply;
        } catch (fault) {
          if (!isMissing(fault) || loads === MAX_LOADS) throw fault;
          loading ??= load().finally(() => (loading = undefined));
          await loading;
        }
      }
    };
  };
};

const isMissing = (fault: unknown): boolean => fault instanceof Error && fault.message.includes('Function not found');
