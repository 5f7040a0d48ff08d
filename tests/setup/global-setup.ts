import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migrateLatest } from '../../src/catalog/postgres/migrate.ts';
import { defaultStateDir } from '../../src/config/default-state-dir.ts';
import { startEmbeddedPostgres } from '../../src/embedded/start-embedded-postgres.ts';
import { startEmbeddedRedis } from '../../src/embedded/start-embedded-redis.ts';
import { publishStores } from './stores-of-this-run.ts';
import { databaseNamed, dropDatabases, withClient } from '../../testkit/databases.ts';

declare global {
  var stopTestStores: (() => Promise<void>) | undefined;
}

/**
 * One Postgres without fsync and a migrated template database in it; one Redis per worker, because a paused or flushed Redis, its scripts
 * and its channels belong to the whole server. TEST_DATABASE_URL and TEST_REDIS_URL name servers to use instead: in the first, databases
 * are created and dropped beside the named one; in the second, every worker uses the logical database of its number.
 */
export default async function globalSetup({ maxWorkers }: { readonly maxWorkers: number }): Promise<void> {
  const { TEST_DATABASE_URL: databaseUrl, TEST_REDIS_URL: redisUrl } = process.env;
  const workers = Array.from({ length: maxWorkers }, (_, index) => index + 1);
  const prefix = `test_${process.pid}_`;
  const template = `${prefix}template`;
  const folder = await mkdtemp(path.join(tmpdir(), 'ad-server-test-'));
  await chmod(folder, 0o755);

  const postgres = databaseUrl
    ? undefined
    : await startEmbeddedPostgres({ stateDir: folder, binariesDir: defaultStateDir(process.env), durable: false });
  const redis = await Promise.all(
    (redisUrl ? [] : workers).map((worker) => startEmbeddedRedis({ stateDir: path.join(folder, `worker-${worker}`), durable: false })),
  );
  const postgresUrl = postgres?.url ?? databaseUrl!;
  globalThis.stopTestStores = async () => {
    await dropDatabases(postgresUrl, prefix);
    await postgres?.stop();
    await Promise.all(redis.map((store) => store.stop()));
    await rm(folder, { recursive: true, force: true });
  };

  try {
    await withClient(postgresUrl, (client) => client.query(`create database ${template}`));
    await migrateLatest(databaseNamed(postgresUrl, template));
  } catch (error) {
    await globalThis.stopTestStores();
    throw error;
  }
  publishStores({
    postgresUrl,
    template,
    prefix,
    redisUrls: redisUrl ? workers.map((worker) => databaseNamed(redisUrl, String(worker))) : redis.map((store) => store.url),
  });
}
