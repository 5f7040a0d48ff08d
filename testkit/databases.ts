import pg from 'pg';

/** The same server, another database: the path of a postgres:// or redis:// URL is its name. */
export function databaseNamed(url: string, name: string): string {
  const named = new URL(url);
  named.pathname = `/${name}`;
  return named.href;
}

/** Runs one piece of work on a new connection. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * How Postgres copies a database. Where files are in memory, copying them takes less than half the CPU time of writing their pages to the log; a
 * server that syncs its files would wait for each of a thousand.
 */
export type CopyStrategy = 'wal_log' | 'file_copy';

/**
 * @param template the database that the new one is a copy of; default: an empty one
 * @param strategy default: that of Postgres
 * @returns the URL of the new database
 */
export async function createDatabase(
  url: string,
  name: string,
  template = 'template1',
  strategy: CopyStrategy = 'wal_log',
): Promise<string> {
  await withClient(url, (client) => client.query(`create database ${name} template ${template} strategy ${strategy}`));
  return databaseNamed(url, name);
}

/** Drops every database whose name starts so, together with whatever is still connected to it. */
export async function dropDatabases(url: string, prefix: string): Promise<void> {
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database where starts_with(datname, $1)', [prefix]);
    for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`);
  });
}
