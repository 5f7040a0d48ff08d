import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import pg from 'pg';
import { ADVISORY_LOCKS } from '../../base/advisory-locks.ts';
import { connectPostgres } from '../../base/connect-postgres.ts';

/** How long a replica waits for another that migrates. */
const LOCK_TIMEOUT_MS = 120_000;

/**
 * Migrates the database to the newest version that this build knows. Any number of replicas may
 * call it together: one migrates, the others wait and then find nothing to do. Rejects when
 * Postgres is unavailable or a migration fails, which is then rolled back.
 *
 * @returns the file names that were applied, in order.
 */
export const migrateLatest = (databaseUrl: string): Promise<readonly string[]> =>
  underMigrationLock(databaseUrl, (migrator) => migrator.latest());

/**
 * The migrations of this build that the database lacks, in order; changes nothing. Rejects when
 * Postgres is unavailable.
 */
export const missingMigrations = async (databaseUrl: string): Promise<readonly string[]> => {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000, query_timeout: 10_000 });
  // The query below reports a connection that dies; without a listener the error would end the
  // process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ exists: boolean }>(`select to_regclass('knex_migrations') is not null as exists`);
    const { rows } = tables[0]?.exists ? await client.query<{ name: string }>('select name from knex_migrations') : { rows: [] };
    const applied = new Set(rows.map(({ name }) => name));
    return (await migrationNames()).filter((name) => !applied.has(name));
  } finally {
    await client.end();
  }
};

/** The schema version of this build: its newest migration, without the file's extension. */
export const newestMigration = async (): Promise<string> => ((await migrationNames()).at(-1) ?? '').replace(/\.js$/, '');

/**
 * Rolls back the last batch, or with `all` every migration, which empties the database.
 *
 * @returns the file names that were rolled back, newest first.
 */
export const migrateRollback = (databaseUrl: string, options: { readonly all?: boolean } = {}): Promise<readonly string[]> =>
  underMigrationLock(databaseUrl, (migrator) => migrator.rollback(undefined, options.all ?? false));

/**
 * Holds a session advisory lock on a separate connection while `work` runs, so that knex's own lock
 * table is never contended.
 */
const underMigrationLock = async (databaseUrl: string, work: (migrator: Knex.Migrator) => Promise<unknown>): Promise<readonly string[]> => {
  const guard = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000, keepAlive: true });
  // If the guard connection dies, the unlock below fails; without a listener the error would end
  // the process.
  let guardFault: Error | undefined;
  guard.on('error', (error) => (guardFault = error));
  await guard.connect();
  try {
    await guard.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await guard.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
    return await withMigrator(databaseUrl, async (migrator) => {
      // Only one process holds the advisory lock, so a lock row must come from a migration that was
      // killed.
      await migrator.forceFreeMigrationsLock();
      const [, names] = (await work(migrator)) as [number, string[]];
      return names;
    });
  } finally {
    if (guardFault === undefined) await guard.end();
  }
};

const withMigrator = async <T>(databaseUrl: string, work: (migrator: Knex.Migrator) => Promise<T>): Promise<T> => {
  const knex = connectPostgres({
    connection: databaseUrl,
    max: 2,
    waitMs: 10_000,
    migrations: {
      migrationSource: FOLDER_SOURCE,
      // During a rolling deployment an older release may meet a newer schema. Migrations only
      // expand the schema under it, so it may run.
      disableMigrationsListValidation: true,
    },
  });
  try {
    return await work(knex.migrate);
  } finally {
    await knex.destroy();
  }
};

/** At the same distance from this module in src and in dist. */
const FOLDER = fileURLToPath(new URL('../../../migrations/', import.meta.url));

async function migrationNames(): Promise<string[]> {
  const names = await readdir(FOLDER);
  return names.filter((name) => name.endsWith('.js')).sort();
}

/** Replaces knex's source, whose paths are relative to the working directory. */
const FOLDER_SOURCE: Knex.MigrationSource<string> = {
  getMigrations: migrationNames,
  getMigrationName: (name) => name,
  getMigration: async (name) => (await import(path.join(FOLDER, name))) as Knex.Migration,
};
