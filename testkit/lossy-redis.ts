import { readdir, rm, stat, truncate } from 'node:fs/promises';
import path from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../src/embedded/free-port.ts';
import { startEmbeddedRedis } from '../src/embedded/start-embedded-redis.ts';
import { redisPid } from './redis-pid.ts';

/** A Redis whose data can be lost in every way, at one address. */
export interface LossyRedis {
  readonly url: string;
  readonly client: Redis;
  /** How much of the append-only file has been written: what a later `killAndCut` goes back to. */
  mark(): Promise<number>;
  /** FLUSHALL while it runs. */
  flush(): Promise<void>;
  /** Stops it and starts it again on an empty disk. */
  restartEmpty(): Promise<void>;
  /** kill -9, then it starts with the data of the moment of `mark`. */
  killAndCut(mark: number): Promise<void>;
  /** Stops it and starts it again with all of its data. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** @param stateDir a folder that other accounts may enter; Redis may run under an account of its own */
export const startLossyRedis = async (stateDir: string, port?: number): Promise<LossyRedis> => {
  const at = port ?? (await freePort());
  const url = `redis://127.0.0.1:${at}`;
  const files = path.join(stateDir, 'redis', 'data', 'appendonlydir');
  let store = await startEmbeddedRedis({ stateDir, port: at });
  const client = new Redis(url, { retryStrategy: () => 50 });
  client.on('error', () => undefined);
  const growing = async (): Promise<string> => {
    const name = (await readdir(files)).find((file) => file.endsWith('.incr.aof'));
    if (name === undefined) throw new Error('Redis writes no append-only file.');
    return path.join(files, name);
  };
  const startAfter = async (change: () => Promise<void>): Promise<void> => {
    await store.stop();
    await change();
    store = await startEmbeddedRedis({ stateDir, port: at });
  };
  return {
    url,
    client,
    mark: async () => (await stat(await growing())).size,
    flush: async () => void (await client.flushall()),
    restartEmpty: () => startAfter(() => rm(files, { recursive: true })),
    killAndCut: async (mark) => {
      process.kill(await redisPid(client), 'SIGKILL');
      await startAfter(async () => truncate(await growing(), mark));
    },
    restart: () => startAfter(() => Promise.resolve()),
    close: async () => {
      client.disconnect();
      await store.stop();
    },
  };
};
