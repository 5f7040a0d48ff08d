import { parseUrl } from '../../base/parse-url.ts';
import type { Row } from '../../imports/revive/revive-source.ts';
import { CliFault } from '../cli-fault.ts';

/** A database of Revive, read in one transaction that sees one moment and changes nothing. */
export interface ReviveDatabase {
  /** @param sql with `?` for values */
  query(sql: string, values?: readonly (string | number)[]): Promise<readonly Row[]>;
  close(): Promise<void>;
}

const HOW = `--from must be the address of Revive's database, mysql://user:password@host/name or postgres://…, or the name of a dump of it, .sql or .sql.gz`;

/**
 * Opens MySQL, MariaDB or PostgreSQL. Dates are texts, as they are stored.
 *
 * @throws CliFault when it cannot be reached; the address, which has a password, is not part of it
 */
export const openDatabase = async (address: string): Promise<ReviveDatabase> => {
  const { protocol, host, pathname } = parseUrl(address) ?? { protocol: '', host: '', pathname: '' };
  const open = { 'mysql:': openMysql, 'mariadb:': openMysql, 'postgres:': openPostgres, 'postgresql:': openPostgres }[protocol];
  if (!open || pathname.length < 2) throw new CliFault(HOW, 2);
  try {
    return await open(address);
  } catch (fault) {
    const { code, message } = fault as { readonly code?: string; readonly message?: string };
    throw new CliFault(`The database ${pathname.slice(1)} at ${host} cannot be opened: ${message || code}`);
  }
};

const openMysql = async (address: string): Promise<ReviveDatabase> => {
  const { createConnection } = await import('mysql2/promise');
  const connection = await createConnection({ uri: address.replace(/^mariadb:/, 'mysql:'), dateStrings: true, charset: 'utf8mb4' });
  await connection.query('set session transaction isolation level repeatable read');
  await connection.query('start transaction with consistent snapshot, read only');
  return {
    query: async (sql, values = []) => (await connection.query(sql, [...values]))[0] as readonly Row[],
    close: () => connection.end(),
  };
};

/** Of `timestamp` and `bigint` in pg_type: as texts and as numbers. */
const TIMESTAMP = 1114;
const BIGINT = 20;

const openPostgres = async (address: string): Promise<ReviveDatabase> => {
  const { default: pg } = await import('pg');
  const getTypeParser = (id: number, format?: 'text' | 'binary'): unknown =>
    id === TIMESTAMP ? (text: string) => text : id === BIGINT ? Number : pg.types.getTypeParser(id, format);
  const client = new pg.Client({ connectionString: address, types: { getTypeParser: getTypeParser as typeof pg.types.getTypeParser } });
  await client.connect();
  await client.query('begin transaction isolation level repeatable read read only');
  return {
    query: async (sql, values = []) => {
      let number = 0;
      return (
        await client.query<Row>(
          sql.replaceAll('?', () => `$${++number}`),
          [...values],
        )
      ).rows;
    },
    close: () => client.end(),
  };
};
