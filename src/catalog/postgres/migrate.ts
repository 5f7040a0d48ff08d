import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import knexFactory from 'knex';
import type { Knex } from 'knex';
import pg from 'pg';

/** Any number, as long as nothing else in the database locks it. */
const MIGRATION_LOCK = 7_240_117_001;
/** How long a replica waits for the one that migrates. */
const LOCK_TIMEOUT_MS = 120_000;

/**
 * Brings the database to the newest migration known to this build. Safe to call from any number of replicas at once: one works, the
 * others wait and then find nothing to do. Rejects when Postgres is away or a migration fails (which is then rolled back).
 *
 * @returns the file names that were applied, in order.
 */
export const migrateLatest = (databaseUrl: string): Promise<readonly string[]> =>
  underMigrationLock(databaseUrl, async (migrator) => {
    const [, names] = (await migrator.latest()) as [number, string[]];
    return names;
  });

/**
 * Takes back the last batch, or with `all` every migration: an empty database.
 *
 * @returns the file names that were taken back, newest first.
 */
export const migrateRollback = (databaseUrl: string, options: { readonly all?: boolean } = {}): Promise<readonly string[]> =>
  underMigrationLock(databaseUrl, async (migrator) => {
    const [, names] = (await migrator.rollback(undefined, options.all ?? false)) as [number, string[]];
    return names;
  });

/** Holds a session advisory lock on a connection of its own while `work` runs, so that knex's own lock table can never be in dispute. */
const underMigrationLock = async <T>(databaseUrl: string, work: (migrator: Knex.Migrator) => Promise<T>): Promise<T> => {
  const guard = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000, keepAlive: true });
  // A guard connection that dies makes the unlock below fail; without a listener it would end the process instead.
  let guardFault: Error | undefined;
  guard.on('error', (error) => (guardFault = error));
  await guard.connect();
  try {
    await guard.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await guard.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    return await withMigrator(databaseUrl, async (migrator) => {
      // Whoever holds the advisory lock is alone, so a lock row left behind by a killed migration is stale by definition.
      await migrator.forceFreeMigrationsLock();
      return await work(migrator);
    });
  } finally {
    if (guardFault === undefined) await guard.end();
  }
};

const withMigrator = async <T>(databaseUrl: string, work: (migrator: Knex.Migrator) => Promise<T>): Promise<T> => {
  const knex = knexFactory({
    client: 'pg',
    connection: { connectionString: databaseUrl },
    pool: { min: 0, max: 2 },
    acquireConnectionTimeout: 10_000,
    migrations: {
      migrationSource: FOLDER_SOURCE,
      // During a rolling start an older release may meet a newer schema; migrations only ever expand under it, so it may run.
      disableMigrationsListValidation: true,
    },
  });
  try {
    return await work(knex.migrate);
  } finally {
    await knex.destroy();
  }
};

/** Own source instead of knex's: the path is relative to this module, which is the same distance from `migrations/` in src and in dist. */
const FOLDER_SOURCE: Knex.MigrationSource<string> = {
  getMigrations: async () => {
    const names = await readdir(fileURLToPath(new URL('../../../migrations/', import.meta.url)));
    return names.filter((name) => name.endsWith('.js')).sort();
  },
  getMigrationName: (name) => name,
  getMigration: async (name) => (await import(`../../../migrations/${name}`)) as Knex.Migration,
};
