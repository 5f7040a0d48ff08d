import { dayOf, IDLE_KEY_TTL_MS } from '../../base/utc-day.ts';
import type { Settings } from '../../config/settings.ts';
import { claimRedis } from '../../replica/claim-redis.ts';
import { comparisonOf } from '../../replica/comparison-of.ts';
import { connectStores, type StoreAddresses } from '../../replica/connect-stores.ts';

/** Makes the accounts in Redis from the counts in Postgres, before the service would find and report that they differ. */
export const countInRedis = async (settings: Settings, addresses: StoreAddresses): Promise<void> => {
  const stores = connectStores(settings, addresses);
  try {
    await claimRedis(stores);
    const compare = await comparisonOf(stores, { dryRun: false, rest: () => Promise.resolve() }, IDLE_KEY_TTL_MS);
    const today = dayOf(Date.now());
    await compare.accounts(today);
    await compare.tallies(today);
  } finally {
    await stores.close();
  }
};
