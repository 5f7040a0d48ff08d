import { Cluster } from 'ioredis';
import { answerWithin } from './answer-within.ts';
import type { RedisClient } from './redis-client.ts';

/**
 * Whether Redis is available. In a cluster each shard has its own state: an unavailable node
 * affects only its shards.
 */
export interface RedisLink {
  /** True when every shard is available. */
  readonly up: boolean;
  /**
   * False from the shard's first failed command until it answers again. While it is false, requests
   * use the fallback without waiting.
   */
  upOf(shard: number): boolean;
  /**
   * Reports that a command of this shard failed or timed out: all requests use the fallback until a
   * probe succeeds.
   */
  suspect(shard: number): void;
  /** Duration of the last answered probe; NaN while Redis does not answer. */
  readonly roundTripSeconds: number;
  stop(): void;
}

export interface RedisLinkOptions {
  readonly redis: RedisClient;
  /** One key of each shard, to reach its node in a cluster. */
  readonly shardKeys: readonly string[];
  readonly probeMs?: number;
  /** Timeout of a probe; undefined: the command timeout of this connection. */
  readonly patienceMs?: number;
}

/**
 * Without this, a Redis whose packets are dropped would cost every request its command timeout.
 * With it, only the requests up to the first timeout wait. Probes run in the background every
 * `probeMs`: one for Redis as a whole and, in a cluster, one for each unavailable shard, because
 * another node's answer says nothing about its node.
 */
export const createRedisLink = ({ redis, shardKeys, probeMs = 200, patienceMs }: RedisLinkOptions): RedisLink => {
  const clustered = redis instanceof Cluster;
  const shards = shardKeys.map((_, shard) => shard);
  const isUp = shards.map(() => redis.status === 'ready');
  const setAll = (up: boolean) => void isUp.fill(up);
  let roundTripSeconds = NaN;
  let probing = false;

  const probeServer = async (): Promise<void> => {
    const begun = performance.now();
    try {
      await answerWithin(patienceMs, redis.ping());
      roundTripSeconds = (performance.now() - begun) / 1000;
      if (!clustered) setAll(true);
    } catch {
      // Not reported as an error: the gauge shows that Redis is down.
      roundTripSeconds = NaN;
      if (!clustered) setAll(false);
    }
  };
  const probeShard = async (shard: number): Promise<void> => {
    try {
      await answerWithin(patienceMs, redis.exists(shardKeys[shard]!));
      isUp[shard] = true;
    } catch {
      isUp[shard] = false;
    }
  };
  const probe = async (): Promise<void> => {
    if (probing) return;
    probing = true;
    const down = clustered ? shards.filter((shard) => !isUp[shard]) : [];
    // A dead node sends no MOVED reply, so the new owner of its cluster slots has to be looked up.
    if (clustered && down.length > 0) redis.refreshSlotsCache(() => undefined);
    await Promise.all([probeServer(), ...down.map(probeShard)]);
    probing = false;
  };
  const timer = setInterval(() => void probe(), probeMs).unref();
  redis.on('close', () => setAll(false));
  redis.on('end', () => setAll(false));
  redis.on('ready', () => void probe());
  // Without a listener ioredis prints connection errors itself. The gauge shows the state, and its
  // change is logged once.
  redis.on('error', () => setAll(false));
  return {
    get up() {
      return isUp.every(Boolean);
    },
    upOf: (shard) => isUp[shard]!,
    suspect: (shard) => {
      if (clustered) isUp[shard] = false;
      else setAll(false);
    },
    get roundTripSeconds() {
      return roundTripSeconds;
    },
    stop: () => clearInterval(timer),
  };
};
