import { migrateLatest } from '../../src/catalog/postgres/migrate.ts';
import { createDatabase, databaseNamed, dropDatabases } from '../../testkit/databases.ts';
import { openPrivateStores } from '../../testkit/private-stores.ts';
import { transientFolder } from '../../testkit/transient-folder.ts';
import { publishStores, runsWithoutStores } from './stores-of-this-run.ts';

declare global {
  var stopTestStores: (() => Promise<void>) | undefined;
}

/**
 * One Postgres without fsync and a migrated template database in it; one Redis per worker, because a paused or flushed Redis, its scripts
 * and its channels belong to the whole server. TEST_DATABASE_URL and TEST_REDIS_URL name servers to use instead: in the first, databases
 * are created and dropped beside the named one; in the second, every worker uses the logical database of its number.
 */
export default async function globalSetup({ maxWorkers }: { readonly maxWorkers: number }): Promise<void> {
  if (runsWithoutStores()) return;
  const { TEST_DATABASE_URL: databaseUrl, TEST_REDIS_URL: redisUrl } = process.env;
  const workers = Array.from({ length: maxWorkers }, (_, index) => index + 1);
  const prefix = `test_${process.pid}_`;
  const template = `${prefix}template`;
  const stores = await openPrivateStores('test', transientFolder());
  globalThis.stopTestStores = stores.stop;
  try {
    const postgresUrl = databaseUrl || (await stores.startPostgres({ durable: false })).url;
    globalThis.stopTestStores = async () => {
      await dropDatabases(postgresUrl, prefix);
      await stores.stop();
    };
    await migrateLatest(await createDatabase(postgresUrl, template));
    const redisUrls = workers.map(async (worker) =>
      redisUrl ? databaseNamed(redisUrl, String(worker)) : (await stores.startRedis(`worker-${worker}`, { durable: false })).url,
    );
    publishStores({
      postgresUrl,
      template,
      strategy: databaseUrl ? 'wal_log' : 'file_copy',
      prefix,
      redisUrls: await Promise.all(redisUrls),
    });
  } catch (error) {
    await globalThis.stopTestStores();
    throw error;
  }
}
