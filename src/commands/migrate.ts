import { migrateLatest } from '../catalog/postgres/migrate.ts';

/**
 * Migrates the database at DATABASE_URL to the newest schema. Exits with 0 on success and 1 on
 * failure. The init container of k8s/base runs it before a rollout; concurrent runs are safe.
 */
const databaseUrl = process.env['DATABASE_URL']?.trim();
try {
  if (!databaseUrl) throw new Error('DATABASE_URL must name the database to migrate. (The embedded Postgres is migrated at every start.)');
  const applied = await migrateLatest(databaseUrl);
  process.stdout.write(`${applied.length === 0 ? 'The schema is the newest already.' : `Applied: ${applied.join(', ')}`}\n`);
} catch (fault) {
  process.stderr.write(`The database was not migrated: ${(fault as Error).message}\n`);
  process.exitCode = 1;
}
