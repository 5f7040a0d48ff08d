import type { Knex } from 'knex';
import { connectPostgres } from '../base/connect-postgres.ts';
import type { Settings } from '../config/settings.ts';
import { createLedgerKeys } from '../ledger/ledger-keys.ts';
import { createRedisClient } from '../redis/redis-client.ts';
import { createRedisLink } from '../redis/redis-link.ts';

/** Where a service finds its stores; the embedded ones have addresses too. */
export interface StoreAddresses {
  readonly databaseUrl: string;
  readonly redisUrls: readonly string[];
}

/**
 * Timeout of a command of `redis`, no shorter than an ad request or a hit may wait (REDIS_TIMEOUT); a connection without any
 * answer for this long is closed.
 */
const ABANDONED_MS = 1_000;
const IDLE_TRANSACTION_MS = 30_000;
const BACKGROUND_MS = 5_000;
const BACKGROUND_PROBE_MS = 1_000;
/**
 * How long a hit that Redis cannot take waits for Postgres. Also enforced by Postgres, so that the
 * hit is not stored after its reservation has ended.
 */
const HIT_STATEMENT_MS = 1_000;
const FILE_MS = 5_000;
/** A report that takes longer is ended by Postgres. */
const REPORT_STATEMENT_MS = 15_000;
const MAX_REPORTS_AT_ONCE = 3;

export const connectStores = (settings: Settings, { databaseUrl, redisUrls }: StoreAddresses) => {
  const connect = (name: string, max: number, statementMs: number, acquireMs: number): Knex =>
    connectPostgres({
      connection: {
        connectionString: databaseUrl,
        application_name: `ad-server ${name}`,
        statement_timeout: statementMs,
        // A replica that hangs while folding must not block the others.
        idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
        keepAlive: true,
      },
      max,
      waitMs: acquireMs,
    });
  const pools = {
    /** For work outside of requests. */
    knex: connect('background', 6, 60_000, 5_000),
    /** For requests: short timeouts. */
    promptKnex: connect('requests', 10, HIT_STATEMENT_MS, HIT_STATEMENT_MS),
    /** For uploaded files: their reads take no connection from other work. */
    fileKnex: connect('files', 2, FILE_MS, FILE_MS),
    /** For reports alone: they wait for each other, never for a connection that others use, nor the reverse. */
    reportKnex: connect('reports', MAX_REPORTS_AT_ONCE, REPORT_STATEMENT_MS, 5_000),
  };
  const redis = createRedisClient({ urls: redisUrls, commandTimeoutMs: ABANDONED_MS, name: 'ad-server-requests' });
  const backgroundRedis = createRedisClient({ urls: redisUrls, commandTimeoutMs: BACKGROUND_MS, name: 'ad-server-background' });
  const keys = createLedgerKeys(settings.ledgerShards);
  const claimKeys = Array.from({ length: keys.shards }, (_, shard) => keys.claim(shard));
  const link = createRedisLink({ redis, claimKeys, patienceMs: settings.redisTimeoutMs });
  const backgroundLink = createRedisLink({ redis: backgroundRedis, claimKeys, probeMs: BACKGROUND_PROBE_MS });
  return {
    ...pools,
    /** For ad requests and hits, with a short timeout. */
    redis,
    /** For the drain, the fold, and queries by staff. */
    backgroundRedis,
    /** How long an ad request or a hit waits for `redis`. */
    patienceMs: settings.redisTimeoutMs,
    /** Both are down until claimRedis opens them. */
    link,
    backgroundLink,
    keys,
    close: async (): Promise<void> => {
      link.stop();
      backgroundLink.stop();
      redis.disconnect();
      backgroundRedis.disconnect();
      await Promise.all(Object.values(pools).map((pool) => pool.destroy()));
    },
  };
};

export type Stores = ReturnType<typeof connectStores>;
