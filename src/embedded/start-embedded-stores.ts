import type { Settings } from '../config/settings.ts';
import type { StoreAddresses } from '../connect-stores.ts';
import { startEmbeddedPostgres } from './start-embedded-postgres.ts';
import { startEmbeddedRedis } from './start-embedded-redis.ts';

/** Starts what the settings do not name, migrates, and fills an empty database with demonstration data. */
export const startEmbeddedStores = async ({
  databaseUrl,
  redisUrls,
  stateDir,
}: Pick<Settings, 'databaseUrl' | 'redisUrls' | 'stateDir'>): Promise<{ readonly addresses: StoreAddresses; stop(): Promise<void> }> => {
  const [postgres, redis] = await Promise.all([
    databaseUrl === undefined ? startEmbeddedPostgres({ stateDir }) : undefined,
    redisUrls.length === 0 ? startEmbeddedRedis({ stateDir }) : undefined,
  ]);
  return {
    addresses: { databaseUrl: databaseUrl ?? (postgres as { url: string }).url, redisUrls: redis ? [redis.url] : redisUrls },
    stop: async () => {
      await Promise.all([postgres?.stop(), redis?.stop()]);
    },
  };
};
