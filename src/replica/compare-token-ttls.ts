import type { LedgerKeys } from '../ledger/ledger-keys.ts';
import type { RedisClient } from '../redis/redis-client.ts';

/** Compares the TOKEN_TTL of the replicas that are running. */
export interface TokenTtls {
  start(): void;
  stop(): void;
  /** Different values in use; more than one is allowed, during a rollout for example. */
  count(): number;
}

export interface TokenTtlOptions {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  readonly tokenTtlMs: number;
  /** Redis's clock, epoch ms. */
  readonly now: () => number;
  /** Called when the values in use begin to differ. */
  readonly onDifference: (ttlsMs: readonly number[]) => void;
}

const EVERY_MS = 10_000;
/** A replica that has not reported for this long is gone. */
const MAX_SILENCE_MS = 35_000;

export const createTokenTtls = ({ redis, keys, tokenTtlMs, now, onDifference }: TokenTtlOptions): TokenTtls => {
  const key = keys.tokenTtls;
  let timer: NodeJS.Timeout | undefined;
  let known = 1;

  const compare = async (): Promise<void> => {
    const atMs = now();
    const replies = await redis
      .multi()
      .zadd(key, atMs, String(tokenTtlMs))
      .zremrangebyscore(key, 0, atMs - MAX_SILENCE_MS)
      .pexpire(key, MAX_SILENCE_MS)
      .zrange(key, '0', '-1')
      .exec();
    const inUse = (replies?.at(-1)?.[1] as readonly string[] | undefined)?.map(Number).sort((a, b) => a - b) ?? [tokenTtlMs];
    if (inUse.length > 1 && known === 1) onDifference(inUse);
    known = inUse.length;
  };
  // The gauge of Redis shows a failure.
  const tick = (): void => void compare().catch(() => undefined);

  return {
    start: () => {
      tick();
      timer ??= setInterval(tick, EVERY_MS).unref();
    },
    stop: () => clearInterval(timer),
    count: () => known,
  };
};
