import type { EventEmitter } from 'node:events';
import type { Knex } from 'knex';

/** What the driver has and its types leave out. */
interface PooledConnection extends EventEmitter {
  readonly connection: EventEmitter;
}

/**
 * A pool that hands out no connection that Postgres ends. The driver fails the statement with the reason and notes the end when the
 * socket closes, a moment later: a statement between the two would fail as well.
 * @param max connections
 * @see https://www.postgresql.org/docs/current/runtime-config-logging.html#RUNTIME-CONFIG-SEVERITY-LEVELS FATAL: the session is aborted
 */
export const postgresPool = (max: number): Knex.PoolConfig => ({
  min: 0,
  max,
  afterCreate: (client: PooledConnection, done: (fault: null, client: PooledConnection) => void) => {
    client.connection.on('errorMessage', (fault: Error & { readonly severity?: string }) => {
      // A fault apart: knex adds the query to the message of the fault, and logs what a connection ended with.
      if (fault.severity === 'FATAL') client.emit('error', new Error(fault.message));
    });
    done(null, client);
  },
});
