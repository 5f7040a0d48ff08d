import { withDatabase } from '../../base/with-database.ts';

/** Partitioned by day: a replica creates and drops their partitions, which takes their owner. */
const PARTITIONED = ['events', 'event_signals'];
/** Of which a replica adds rows, and changes and deletes none: the history. */
const APPEND_ONLY = ['audit'];

/**
 * Lets the role of replicas do what the service needs, and not change or delete what the history has. For databases
 * whose migrations are another role's, which must be a member of the role of replicas. Rejects when Postgres is
 * unavailable or the other role may not grant.
 *
 * @param migrationUrl of the role that owns the tables
 */
export const grantService = (migrationUrl: string, serviceRole: string): Promise<void> =>
  withDatabase(migrationUrl, (knex) =>
    knex.transaction(async (trx) => {
      const { rows } = await trx.raw<{ rows: { schema: string }[] }>('select current_schema() as schema');
      const schema = rows[0]?.schema ?? 'public';
      await trx.raw('grant usage, create on schema ?? to ??', [schema, serviceRole]);
      await trx.raw('grant select, insert, update, delete on all tables in schema ?? to ??', [schema, serviceRole]);
      await trx.raw('grant usage, select on all sequences in schema ?? to ??', [schema, serviceRole]);
      for (const table of APPEND_ONLY) await trx.raw('revoke update, delete, truncate on ?? from ??', [table, serviceRole]);
      const partitions = await trx.raw<{ rows: { name: string }[] }>(
        `select inhrelid::regclass::text as name from pg_inherits where inhparent = any(?::text[]::regclass[])`,
        [PARTITIONED] as unknown as string[],
      );
      for (const table of [...PARTITIONED, ...partitions.rows.map(({ name }) => name)])
        await trx.raw('alter table ?? owner to ??', [table, serviceRole]);
    }),
  );
