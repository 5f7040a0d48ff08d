import path from 'node:path';
import { migrateLatest } from '../catalog/postgres/migrate.ts';
import { keptSecret } from '../config/kept-secret.ts';
import type { Settings } from '../config/settings.ts';
import type { StoreAddresses } from '../replica/connect-stores.ts';
import { prepareDemo } from './demo.ts';
import { startEmbeddedPostgres } from './start-embedded-postgres.ts';
import { startEmbeddedRedis } from './start-embedded-redis.ts';

/**
 * Starts the stores that the settings do not name, and fills an empty embedded database with
 * demonstration data.
 */
export const startEmbeddedStores = async (settings: Settings) => {
  const { databaseUrl, redisUrls, stateDir } = settings;
  // Any local process, and through it any page that a browser opens, could otherwise reach them.
  const password = keptSecret(path.join(stateDir, 'store-password'));
  const [postgres, redis] = await Promise.all([
    databaseUrl === undefined ? startEmbeddedPostgres({ stateDir, password }) : undefined,
    redisUrls.length === 0 ? startEmbeddedRedis({ stateDir, password }) : undefined,
  ]);
  if (postgres) await migrateLatest(postgres.url);
  const stop = async (): Promise<void> => {
    await Promise.all([postgres?.stop(), redis?.stop()]);
  };
  const addresses: StoreAddresses = {
    databaseUrl: databaseUrl ?? (postgres as { url: string }).url,
    redisUrls: redis ? [redis.url] : redisUrls,
  };
  try {
    // A configured database gets no demonstration data.
    return { addresses, demo: postgres && (await prepareDemo(settings, addresses)), stop };
  } catch (fault) {
    await stop();
    throw fault;
  }
};
