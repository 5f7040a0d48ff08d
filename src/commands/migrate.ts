import { grantService } from '../catalog/postgres/grant-service.ts';
import { migrateLatest } from '../catalog/postgres/migrate.ts';

/**
 * Migrates the database to the newest schema: as the role of MIGRATION_DATABASE_URL, which owns the tables, and then lets
 * the role of DATABASE_URL use them; or, without it, as the role of DATABASE_URL. Exits with 0 on success and 1 on
 * failure. The init container of k8s/base runs it before a rollout; concurrent runs are safe.
 */
const databaseUrl = process.env['DATABASE_URL']?.trim();
const migrationUrl = process.env['MIGRATION_DATABASE_URL']?.trim();
try {
  if (!databaseUrl) throw new Error('DATABASE_URL must name the database to migrate. (The embedded Postgres is migrated at every start.)');
  const applied = await migrateLatest(migrationUrl || databaseUrl);
  process.stdout.write(`${applied.length === 0 ? 'The schema is the newest already.' : `Applied: ${applied.join(', ')}`}\n`);
  if (migrationUrl) {
    const role = decodeURIComponent(new URL(databaseUrl).username);
    if (!role) throw new Error('DATABASE_URL must name the role of replicas.');
    await grantService(migrationUrl, role);
    process.stdout.write(`${role} may use the tables, and only add to the history.\n`);
  }
} catch (fault) {
  process.stderr.write(`The database was not migrated: ${(fault as Error).message}\n`);
  process.exitCode = 1;
}
