import { readdir, rm, stat, truncate } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '../src/embedded/free-port.ts';
import { startEmbeddedRedis } from '../src/embedded/start-embedded-redis.ts';
import { redisPid } from './redis-pid.ts';

/** The append-only file of a Redis that was started with this folder. */
export const appendOnlyFile = (stateDir: string) => {
  const folder = path.join(stateDir, 'redis', 'data', 'appendonlydir');
  const growing = async (): Promise<string> => {
    const name = (await readdir(folder)).find((file) => file.endsWith('.incr.aof'));
    if (name === undefined) throw new Error('Redis writes no append-only file.');
    return path.join(folder, name);
  };
  return {
    /** How much of it has been written: the data of this moment. */
    mark: async (): Promise<number> => (await stat(await growing())).size,
    /** Goes back to the data of a moment. Redis must be stopped. */
    cutTo: async (mark: number): Promise<void> => truncate(await growing(), mark),
    /** An empty disk. Redis must be stopped. */
    remove: (): Promise<void> => rm(folder, { recursive: true }),
  };
};

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
  /** kill -9, then it starts with the data of the moment of `mark`, after a while. */
  killAndCut(mark: number, awayMs?: number): Promise<void>;
  /** Stops it and starts it again with all of its data. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** @param stateDir a folder that other accounts may enter; Redis may run under an account of its own */
export const startLossyRedis = async (stateDir: string): Promise<LossyRedis> => {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const file = appendOnlyFile(stateDir);
  let store = await startEmbeddedRedis({ stateDir, port });
  const client = new Redis(url, { retryStrategy: () => 50 });
  client.on('error', () => undefined);
  const startAfter = async (change: () => Promise<void>): Promise<void> => {
    await store.stop();
    await change();
    store = await startEmbeddedRedis({ stateDir, port });
  };
  return {
    url,
    client,
    mark: file.mark,
    flush: async () => void (await client.flushall()),
    restartEmpty: () => startAfter(file.remove),
    killAndCut: async (mark, awayMs = 0) => {
      process.kill(await redisPid(client), 'SIGKILL');
      await startAfter(async () => {
        await file.cutTo(mark);
        await sleep(awayMs);
      });
    },
    restart: () => startAfter(() => Promise.resolve()),
    close: async () => {
      client.disconnect();
      await store.stop();
    },
  };
};
