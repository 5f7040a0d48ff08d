import knexFactory, { type Knex } from 'knex';

/** Lends a piece of work a connection to a database, or up to `max`, which are closed when it has ended. */
export const withDatabase = async <T>(
  connection: string | Knex.PgConnectionConfig,
  work: (knex: Knex) => Promise<T>,
  max = 1,
): Promise<T> => {
  const knex = knexFactory({ client: 'pg', connection, pool: { min: 0, max } });
  try {
    return await work(knex);
  } finally {
    await knex.destroy();
  }
};
