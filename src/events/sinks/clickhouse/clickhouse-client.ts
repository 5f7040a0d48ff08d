import type { ClickHouseClient } from '@clickhouse/client';
import { isTableName } from './clickhouse-schema.ts';

/** What the URL of a ClickHouse sink names. */
export interface ClickHouseTarget {
  readonly client: ClickHouseClient;
  readonly table: string;
}

const REQUEST_TIMEOUT_MS = 60_000;
const DEFAULT_TABLE = 'ad_events';

/**
 * The server and the table of `clickhouse://user:password@host:8123/database?table=ad_events&tls=true`, which speaks HTTP. Connects
 * with the first query. Rejects when the URL is wrong, without repeating it.
 */
export const openClickHouse = async (url: URL): Promise<ClickHouseTarget> => {
  const table = url.searchParams.get('table') ?? DEFAULT_TABLE;
  if (!isTableName(table)) throw new Error('table has a-z, 0-9 and "_", 64 at most');
  const tls = url.searchParams.get('tls') ?? 'false';
  if (tls !== 'true' && tls !== 'false') throw new Error('tls is true or false');
  if (url.hostname === '') throw new Error('the URL names no host');
  // Loaded by those who have ClickHouse.
  const { ClickHouseLogLevel, createClient } = await import('@clickhouse/client');
  const database = url.pathname.slice(1);
  const client = createClient({
    url: tls === 'true' ? `https://${url.hostname}:${url.port || 8443}` : `http://${url.hostname}:${url.port || 8123}`,
    ...(url.username !== '' && { username: decodeURIComponent(url.username), password: decodeURIComponent(url.password) }),
    ...(database !== '' && { database: decodeURIComponent(database) }),
    application: 'ad-server',
    // Its log repeats the values that the server refuses.
    log: { level: ClickHouseLogLevel.OFF },
    request_timeout: REQUEST_TIMEOUT_MS,
  });
  return { client, table };
};
