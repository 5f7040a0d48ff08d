import knexFactory, { type Knex } from 'knex';
import type { Settings } from '../config/settings.ts';
import { createLedgerKeys, type LedgerKeys } from '../ledger/ledger-keys.ts';
import { createRedisClient, type RedisClient } from '../redis/redis-client.ts';
import { createRedisLink, type RedisLink } from '../redis/redis-link.ts';

/** Where a service finds its stores; the embedded ones have addresses too. */
export interface StoreAddresses {
  readonly databaseUrl: string;
  readonly redisUrls: readonly string[];
}

export interface Stores {
  /** For work that nobody waits for. */
  readonly knex: Knex;
  /** For what a request waits for: it gives up soon. */
  readonly promptKnex: Knex;
  /** For ad requests and hits: a command gives up before the page would notice. */
  readonly redis: RedisClient;
  /** For the drain, the fold and what people ask. */
  readonly backgroundRedis: RedisClient;
  /** How long an ad request or a hit waits for `redis`. */
  readonly patienceMs: number;
  readonly link: RedisLink;
  readonly backgroundLink: RedisLink;
  readonly keys: LedgerKeys;
  close(): Promise<void>;
}

const PROMPT_MS = 100;
/** What nobody waits for any more ends here; and a connection on which nothing at all comes back is given up. */
const ABANDONED_MS = 1_000;
const IDLE_TRANSACTION_MS = 30_000;
const BACKGROUND_MS = 5_000;
/** A hit that Redis cannot take waits this long for Postgres, server-side as well, so that it cannot land later than its reservation lives. */
const HIT_STATEMENT_MS = 1_000;

export const connectStores = (settings: Settings, { databaseUrl, redisUrls }: StoreAddresses): Stores => {
  const connect = (name: string, max: number, statementMs: number, acquireMs: number) =>
    knexFactory({
      client: 'pg',
      connection: {
        connectionString: databaseUrl,
        application_name: `ad-server ${name}`,
        statement_timeout: statementMs,
        // A replica that hangs in the middle of folding must not keep the others from it.
        idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
        connectionTimeoutMillis: acquireMs,
        keepAlive: true,
      },
      pool: { min: 0, max },
      acquireConnectionTimeout: acquireMs,
    });
  const knex = connect('background', 6, 60_000, 5_000);
  const promptKnex = connect('requests', 10, HIT_STATEMENT_MS, HIT_STATEMENT_MS);
  const redis = createRedisClient({ urls: redisUrls, commandTimeoutMs: ABANDONED_MS, name: 'ad-server-requests' });
  const backgroundRedis = createRedisClient({ urls: redisUrls, commandTimeoutMs: BACKGROUND_MS, name: 'ad-server-background' });
  const keys = createLedgerKeys(settings.ledgerShards);
  const shardKeys = Array.from({ length: keys.shards }, (_, shard) => keys.horizon(shard));
  const link = createRedisLink({ redis, shardKeys, patienceMs: PROMPT_MS });
  const backgroundLink = createRedisLink({ redis: backgroundRedis, shardKeys });
  return {
    knex,
    promptKnex,
    redis,
    backgroundRedis,
    patienceMs: PROMPT_MS,
    link,
    backgroundLink,
    keys,
    close: async () => {
      link.stop();
      backgroundLink.stop();
      redis.disconnect();
      backgroundRedis.disconnect();
      await Promise.all([knex.destroy(), promptKnex.destroy()]);
    },
  };
};
