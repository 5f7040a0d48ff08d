import { Cluster, Redis } from 'ioredis';

export type RedisClient = Redis | Cluster;

export interface RedisClientOptions {
  /** One URL: a single server. Several: the nodes of a Redis Cluster. */
  readonly urls: readonly string[];
  /** A command that takes longer fails; it may still run later, which is why every write is idempotent. */
  readonly commandTimeoutMs: number;
  readonly name: string;
}

/** A slot that has moved is asked for where it went; twice is enough when it is still on its way. */
const MOST_REDIRECTIONS = 3;
const CONNECT_MS = 1_000;
const LEAST_SILENCE_MS = 1_000;

/**
 * A connection that never hides an outage: no command waits for a reconnect and none is sent twice. A queued command would run
 * minutes later against a world that has moved on, and a resent one would count twice. Redirections are no such thing: the node that
 * answers MOVED or ASK has done nothing.
 */
export const createRedisClient = ({ urls, commandTimeoutMs, name }: RedisClientOptions): RedisClient => {
  const options = {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    connectTimeout: CONNECT_MS,
    // A path that swallows packets keeps a connection alive for minutes and then answers on TCP's own, by then long, schedule; a new connection
    // answers as soon as the path does.
    socketTimeout: Math.max(LEAST_SILENCE_MS, commandTimeoutMs),
    connectionName: name,
    retryStrategy: (times: number) => Math.min(50 * times, 500),
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
      // By default ioredis sends a command again, after 100 ms, up to 16 times, when its node is gone: 1.6 s that a page would wait.
      maxRedirections: MOST_REDIRECTIONS,
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
