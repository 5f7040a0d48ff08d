import knexFactory, { type Knex } from 'knex';
import { postgresPool } from '../base/postgres-pool.ts';
import type { Settings } from '../config/settings.ts';
import { createLedgerKeys, type LedgerKeys } from '../ledger/ledger-keys.ts';
import { createRedisClient, type RedisClient } from '../redis/redis-client.ts';
import { createRedisLink, type ProbedRedisLink } from '../redis/redis-link.ts';

/** Where a service finds its stores; the embedded ones have addresses too. */
export interface StoreAddresses {
  readonly databaseUrl: string;
  readonly redisUrls: readonly string[];
}

export interface Stores {
  /** For work outside of requests. */
  readonly knex: Knex;
  /** For requests: short timeouts. */
  readonly promptKnex: Knex;
  /** For uploaded files: their reads take no connection from other work. */
  readonly fileKnex: Knex;
  /** For reports alone: they wait for each other, never for a connection that others use, nor the reverse. */
  readonly reportKnex: Knex;
  /** For ad requests and hits, with a short timeout. */
  readonly redis: RedisClient;
  /** For the drain, the fold, and queries by staff. */
  readonly backgroundRedis: RedisClient;
  /** How long an ad request or a hit waits for `redis`. */
  readonly patienceMs: number;
  /** Both are down until claimRedis opens them. */
  readonly link: ProbedRedisLink;
  readonly backgroundLink: ProbedRedisLink;
  readonly keys: LedgerKeys;
  close(): Promise<void>;
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

export const connectStores = (settings: Settings, { databaseUrl, redisUrls }: StoreAddresses): Stores => {
  const connect = (name: string, max: number, statementMs: number, acquireMs: number) =>
    knexFactory({
      client: 'pg',
      // The messages of errors are logged: the query as it is sent, without its values.
      compileSqlOnError: false,
      connection: {
        connectionString: databaseUrl,
        application_name: `ad-server ${name}`,
        statement_timeout: statementMs,
        // A replica that hangs while folding must not block the others.
        idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
        connectionTimeoutMillis: acquireMs,
        keepAlive: true,
      },
      pool: postgresPool(max),
      acquireConnectionTimeout: acquireMs,
    });
  const knex = connect('background', 6, 60_000, 5_000);
  const promptKnex = connect('requests', 10, HIT_STATEMENT_MS, HIT_STATEMENT_MS);
  const fileKnex = connect('files', 2, FILE_MS, FILE_MS);
  const reportKnex = connect('reports', MAX_REPORTS_AT_ONCE, REPORT_STATEMENT_MS, 5_000);
  const redis = createRedisClient({ urls: redisUrls, commandTimeoutMs: ABANDONED_MS, name: 'ad-server-requests' });
  const backgroundRedis = createRedisClient({ urls: redisUrls, commandTimeoutMs: BACKGROUND_MS, name: 'ad-server-background' });
  const keys = createLedgerKeys(settings.ledgerShards);
  const claimKeys = Array.from({ length: keys.shards }, (_, shard) => keys.claim(shard));
  const link = createRedisLink({ redis, claimKeys, patienceMs: settings.redisTimeoutMs });
  const backgroundLink = createRedisLink({ redis: backgroundRedis, claimKeys, probeMs: BACKGROUND_PROBE_MS });
  return {
    knex,
    promptKnex,
    fileKnex,
    reportKnex,
    redis,
    backgroundRedis,
    patienceMs: settings.redisTimeoutMs,
    link,
    backgroundLink,
    keys,
    close: async () => {
      link.stop();
      backgroundLink.stop();
      redis.disconnect();
      backgroundRedis.disconnect();
      await Promise.all([knex.destroy(), promptKnex.destroy(), fileKnex.destroy(), reportKnex.destroy()]);
    },
  };
};
