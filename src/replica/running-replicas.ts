import type { LedgerKeys } from '../ledger/ledger-keys.ts';
import type { RedisClient } from '../redis/redis-client.ts';

export interface RunningReplicasOptions {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  /** This one. */
  readonly replica: string;
  readonly tokenTtlMs: number;
  /** Redis's clock, epoch ms. */
  readonly now: () => number;
  /** Called when the values in use begin to differ. */
  readonly onDifference: (ttlsMs: readonly number[]) => void;
}

const EVERY_MS = 10_000;
/** A replica that has not reported for this long is gone. */
const MAX_SILENCE_MS = 35_000;

/** The replicas that are running, and their TOKEN_TTL: each reports itself to Redis. */
export const createRunningReplicas = (options: RunningReplicasOptions) => {
  const { redis, keys, replica, tokenTtlMs, now, onDifference } = options;
  const key = keys.replicas;
  const self = `${replica} ${tokenTtlMs}`;
  let timer: NodeJS.Timeout | undefined;
  let known: readonly string[] = [self];

  const ttlsOf = (replicas: readonly string[]): readonly number[] =>
    [...new Set(replicas.map((one) => Number(one.split(' ')[1])))].sort((a, b) => a - b);

  const report = async (): Promise<void> => {
    const atMs = now();
    const replies = await redis
      .multi()
      .zadd(key, atMs, self)
      .zremrangebyscore(key, 0, atMs - MAX_SILENCE_MS)
      .pexpire(key, MAX_SILENCE_MS)
      .zrange(key, '0', '-1')
      .exec();
    const running = (replies?.at(-1)?.[1] as readonly string[] | undefined) ?? [self];
    const inUse = ttlsOf(running);
    if (inUse.length > 1 && ttlsOf(known).length === 1) onDifference(inUse);
    known = running;
  };
  // The gauge of Redis shows a failure.
  const tick = (): void => void report().catch(() => undefined);

  return {
    start: (): void => {
      tick();
      timer ??= setInterval(tick, EVERY_MS).unref();
    },
    stop: (): void => {
      clearInterval(timer);
      // Without Redis it is forgotten after MAX_SILENCE_MS.
      redis.zrem(key, self).catch(() => undefined);
    },
    /** As last read; this one alone before. */
    count: (): number => known.length,
    /** Different values of TOKEN_TTL in use; more than one is allowed, during a rollout for example. */
    tokenTtls: (): number => ttlsOf(known).length,
  };
};

export type RunningReplicas = ReturnType<typeof createRunningReplicas>;
