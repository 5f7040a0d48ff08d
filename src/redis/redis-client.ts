import { Cluster, Redis } from 'ioredis';

export type RedisClient = Redis | Cluster;

export interface RedisClientOptions {
  /** One URL: a single server. Several: the nodes of a Redis Cluster. */
  readonly urls: readonly string[];
  /**
   * A command that takes longer fails; it may still run later, which is why every write is
   * idempotent.
   */
  readonly commandTimeoutMs: number;
  readonly name: string;
}

/** A moved cluster slot takes one redirection, or two while it is being migrated. */
const MAX_REDIRECTIONS = 3;
const CONNECT_MS = 1_000;
/** Between two questions to a server that loads its data. */
const LOADING_MS = 100;
const MIN_SOCKET_TIMEOUT_MS = 1_000;

/**
 * Replies of a server that takes no writes: a demoted master, one that loads its data or has lost
 * its master, a full memory or disk, too few replicas. A script of Redis 6 wraps the code of its
 * failed command.
 */
const REFUSES_WRITES = /(?:^|-)(?:READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|MISCONF|OOM|NOREPLICAS) /;

/** Whether a failed command means that the server behind this connection takes no writes. */
export const refusesWrites = (fault: unknown): boolean => fault instanceof Error && REFUSES_WRITES.test(fault.message);

/**
 * A connection that reports every outage: no command waits for a reconnect and none is sent twice.
 * A queued command would run minutes later, when its data is out of date, and a repeated one would
 * count twice. Redirections are safe: a node that answers MOVED or ASK has executed nothing.
 */
export const createRedisClient = ({ urls, commandTimeoutMs, name }: RedisClientOptions): RedisClient => {
  const options = {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    connectTimeout: CONNECT_MS,
    // Otherwise a connection waits for as long as Redis thinks that loading takes, which it overestimates at first: 9 s in place of 0.8.
    maxLoadingRetryTime: LOADING_MS,
    // When packets are dropped, TCP keeps the connection open for minutes and retransmits with
    // growing delays. A new connection works as soon as the network does.
    socketTimeout: Math.max(MIN_SOCKET_TIMEOUT_MS, commandTimeoutMs),
    connectionName: name,
    retryStrategy: (times: number) => Math.min(50 * times, 500),
    // A demoted master keeps its connections open. A new one resolves the host again and may reach
    // the new master. The failed command is not repeated.
    reconnectOnError: refusesWrites,
    // ioredis subscribes again without handling a failure: a connection that breaks meanwhile would end
    // the process. Subscribers do it themselves (catalog/change-notice.ts).
    autoResubscribe: false,
  };
  const [first] = urls;
  if (first === undefined) throw new Error('a Redis client needs at least one URL');
  if (urls.length === 1) return new Redis(first, options);
  const { hostname, username, password, protocol } = new URL(first);
  return new Cluster(
    urls.map((url) => ({ host: new URL(url).hostname || hostname, port: Number(new URL(url).port || 6379) })),
    {
      enableOfflineQueue: false,
      clusterRetryStrategy: options.retryStrategy,
      // When a node is gone, ioredis by default retries a command up to 16 times after 100 ms: 1.6
      // s in which a page would wait.
      maxRedirections: MAX_REDIRECTIONS,
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      retryDelayOnTryAgain: 10,
      slotsRefreshInterval: 5000,
      redisOptions: {
        ...options,
        ...(username ? { username: decodeURIComponent(username) } : {}),
        ...(password ? { password: decodeURIComponent(password) } : {}),
        ...(protocol === 'rediss:' ? { tls: {} } : {}),
      },
    },
  );
};

/**
 * What shares its fate: in a cluster each shard, as its node may fail or its cluster slot move alone; on a single server all
 * shards. The scopes are 0 to `scopesOf` - 1.
 */
export const scopeOfShard = ({ isCluster }: RedisClient, shard: number): number => (isCluster ? shard : 0);
export const scopesOf = ({ isCluster }: RedisClient, { shards }: { readonly shards: number }): number => (isCluster ? shards : 1);
