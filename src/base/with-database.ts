import type { Knex } from 'knex';
import { connectPostgres } from './connect-postgres.ts';

/** Lends a piece of work a connection to a database, or up to `max`, which are closed when it has ended. */
export const withDatabase = async <T>(
  connection: string | Knex.PgConnectionConfig,
  work: (knex: Knex) => Promise<T>,
  max = 1,
): Promise<T> => {
  const knex = connectPostgres({ connection, max });
  try {
    return await work(knex);
  } finally {
    await knex.destroy();
  }
};
