import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { startEmbeddedRedis } from '../../src/embedded/start-embedded-redis.ts';
import { atEnd } from '../setup/at-end.ts';

export interface RedisServer {
  readonly url: string;
  readonly client: Redis;
}

/** A separate Redis for tests that demote, fill or flush it. Ends with the test file. */
export const startRedisServer = async (): Promise<RedisServer> => {
  const stateDir = await mkdtemp(path.join(tmpdir(), 'ad-server-redis-'));
  await chmod(stateDir, 0o755);
  const { url, stop } = await startEmbeddedRedis({ stateDir });
  const client = new Redis(url, { retryStrategy: () => 100 });
  client.on('error', () => undefined);
  atEnd(async () => {
    client.disconnect();
    await stop();
    await rm(stateDir, { recursive: true, force: true });
  });
  await client.config('SET', 'repl-diskless-sync-delay', '0');
  return { url, client };
};
