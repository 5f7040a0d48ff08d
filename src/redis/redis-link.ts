import { Cluster } from 'ioredis';
import { answerWithin } from './answer-within.ts';
import type { RedisClient } from './redis-client.ts';

/** Whether Redis can be counted on right now. In a cluster each shard answers for itself: a node that is away takes only its own along. */
export interface RedisLink {
  /** True when every shard can be counted on. */
  readonly up: boolean;
  /** False from the shard's first failed command until it answers again. A request that sees false does not wait: it takes the other road. */
  upOf(shard: number): boolean;
  /** A command of this shard failed or timed out: everybody takes the other road until a probe succeeds. */
  suspect(shard: number): void;
  /** How long the last answered probe took; NaN while nothing answers. */
  readonly roundTripSeconds: number;
  stop(): void;
}

export interface RedisLinkOptions {
  readonly redis: RedisClient;
  /** One key of each shard: in a cluster, what its node is asked for. */
  readonly shardKeys: readonly string[];
  readonly probeMs?: number;
  /** How long a probe may take; undefined: as long as any command of this connection. */
  readonly patienceMs?: number;
}

/**
 * Without this, a Redis that swallows packets would cost every request its command timeout. With it, the first request pays; the others
 * learn from it. Probes run in the background, `probeMs` apart: one that says whether Redis answers at all, and in a cluster one for
 * each shard that is down, because another node's answer says nothing about its own.
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
      // Not an error of its own: being down is the answer, and it is on the gauge.
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
    // A node that died says MOVED to nobody: where its slots went has to be looked up.
    if (clustered && down.length > 0) redis.refreshSlotsCache(() => undefined);
    await Promise.all([probeServer(), ...down.map(probeShard)]);
    probing = false;
  };
  const timer = setInterval(() => void probe(), probeMs).unref();
  redis.on('close', () => setAll(false));
  redis.on('end', () => setAll(false));
  redis.on('ready', () => void probe());
  // Without a listener ioredis prints connection errors itself; the state they lead to is on the gauge and in one log line of its change.
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
