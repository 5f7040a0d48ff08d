import { LRUCache } from 'lru-cache';
import type { LedgerKeys } from '../ledger/ledger-keys.ts';
import { answerWithin } from '../redis/answer-within.ts';
import type { RedisClient } from '../redis/redis-client.ts';

/** Wrong admin tokens of each client, over all replicas, within the last minute. */
export interface WrongTokens {
  /**
   * Counts one more, and returns how many the client has sent. Never rejects: without Redis, this
   * replica's own count is used.
   */
  count(client: string): Promise<number>;
}

export interface WrongTokensOptions {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  readonly countersUp: () => boolean;
}

/** Further ones within the window get 429. */
export const MAX_WRONG_TOKENS = 10;
export const WRONG_TOKEN_WINDOW_S = 60;
const PATIENCE_MS = 500;
const MAX_CLIENTS = 10_000;

export const createWrongTokens = ({ redis, keys, countersUp }: WrongTokensOptions): WrongTokens => {
  const here = new LRUCache<string, number>({ max: MAX_CLIENTS, ttl: WRONG_TOKEN_WINDOW_S * 1000, noUpdateTTL: true });

  const inRedis = async (client: string): Promise<number> => {
    const key = keys.wrongTokens(client);
    // NX: the window begins with the first wrong token, and guessing does not prolong it.
    const counted = redis.multi().incr(key).expire(key, WRONG_TOKEN_WINDOW_S, 'NX').exec();
    const [[, count] = []] = (await answerWithin(PATIENCE_MS, counted)) ?? [];
    return Number(count ?? 0);
  };

  return {
    count: async (client) => {
      const own = (here.get(client) ?? 0) + 1;
      here.set(client, own);
      if (!countersUp()) return own;
      // The gauge of Redis shows a failure.
      return Math.max(own, await inRedis(client).catch(() => 0));
    },
  };
};
