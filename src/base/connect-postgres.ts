import type { EventEmitter } from 'node:events';
import knexFactory, { type Knex } from 'knex';
import { MS_PER_MINUTE } from './utc-day.ts';

/** What the driver has and its types leave out. */
interface PooledConnection extends EventEmitter {
  readonly connection: EventEmitter;
}

export interface PostgresOptions {
  /** An address, or what the driver takes. */
  readonly connection: string | Knex.PgConnectionConfig;
  /** Connections at most. */
  readonly max: number;
  /** How long a query waits for one, and one for Postgres. Default: a minute. */
  readonly waitMs?: number;
  readonly migrations?: Knex.MigratorConfig;
}

/**
 * The queries of the service to a database. No connection is opened before the first, and none is handed out that Postgres ends: the driver
 * fails the statement with the reason and notes the end when the socket closes, a moment later; a statement between the two would fail as
 * well.
 *
 * @see https://www.postgresql.org/docs/current/runtime-config-logging.html#RUNTIME-CONFIG-SEVERITY-LEVELS FATAL: the session is aborted
 */
export const connectPostgres = ({ connection, max, waitMs = MS_PER_MINUTE, migrations }: PostgresOptions): Knex =>
  knexFactory({
    client: 'pg',
    connection: {
      connectionTimeoutMillis: waitMs,
      ...(typeof connection === 'string' ? { connectionString: connection } : connection),
    },
    // The messages of errors are logged: the query as it is sent, without its values.
    compileSqlOnError: false,
    log: NO_LOG,
    pool: {
      min: 0,
      max,
      afterCreate: (client: PooledConnection, done: (fault: null, client: PooledConnection) => void) => {
        client.connection.on('errorMessage', (fault: Error & { readonly severity?: string }) => {
          // A fault apart: knex adds the query to the message of the fault.
          if (fault.severity === 'FATAL') client.emit('error', new Error(fault.message));
        });
        done(null, client);
      },
    },
    acquireConnectionTimeout: waitMs,
    ...(migrations && { migrations }),
  });

/**
 * Knex prints faults of connections as text, some with a stack, between the JSON lines of the log. Each rejects the query that waited for the
 * connection as well, or is of a connection that was idle, and is replaced.
 */
const NO_LOG: Knex.Logger = { warn: () => undefined, error: () => undefined };
