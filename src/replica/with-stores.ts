import { keepTokenSecret } from '../config/keep-token-secret.ts';
import { readSettings } from '../config/read-settings.ts';
import type { Settings } from '../config/settings.ts';
import { connectStores, type Stores } from './connect-stores.ts';

/**
 * Lends a command the stores that the environment names, which are closed when it has ended.
 *
 * @param purpose for the message when they are not named: "to reconcile"
 */
export const withStores = async (purpose: string, work: (stores: Stores, settings: Settings) => Promise<void>): Promise<void> => {
  const settings = readSettings(keepTokenSecret(process.env));
  const { databaseUrl, redisUrls } = settings;
  if (databaseUrl === undefined || redisUrls.length === 0) throw new Error(`DATABASE_URL and REDIS_URL say which stores ${purpose}.`);
  const stores = connectStores(settings, { databaseUrl, redisUrls });
  try {
    await work(stores, settings);
  } finally {
    await stores.close();
  }
};
