import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedRedis } from '../../src/embedded/start-embedded-redis.ts';

/** Runs something on a private Redis, which is stopped and removed afterwards. */
export const withRedis = async <T>(run: (redisUrl: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'pacing-simulation-'));
  try {
    await chmod(folder, 0o755); // Under root the store runs as another account, which must be able to reach it.
    const store = await startEmbeddedRedis({ stateDir: folder, durable: false });
    try {
      return await run(store.url);
    } finally {
      await store.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
