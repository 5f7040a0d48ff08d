import { LRUCache } from 'lru-cache';
import type { LedgerKeys } from '../ledger/ledger-keys.ts';
import { answerWithin } from '../redis/answer-within.ts';
import type { RedisClient } from '../redis/redis-client.ts';

/** Wrong admin tokens of each client, over all replicas, within the last minute. */
export interface WrongTokens {
  /**
   * Counts one more when `isWrong`, atomically. Never rejects: without Redis, this replica's own
   * count is used.
   *
   * @returns how many the client has sent before this one
   */
  before(client: string, isWrong: boolean): Promise<number>;
}

export interface WrongTokensOptions {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  readonly countersUp: () => boolean;
}

/** A client that has sent this many is refused without a look at its token. */
export const MAX_WRONG_TOKENS = 10;
export const WRONG_TOKEN_WINDOW_S = 60;
const PATIENCE_MS = 500;
const MAX_CLIENTS = 10_000;

export const createWrongTokens = ({ redis, keys, countersUp }: WrongTokensOptions): WrongTokens => {
  const here = new LRUCache<string, number>({ max: MAX_CLIENTS, ttl: WRONG_TOKEN_WINDOW_S * 1000, noUpdateTTL: true });

  const inRedis = async (client: string, isWrong: boolean): Promise<number> => {
    const key = keys.wrongTokens(client);
    if (!isWrong) return Number((await answerWithin(PATIENCE_MS, redis.get(key))) ?? 0);
    // NX: the window begins with the first wrong token, and guessing does not prolong it.
    const counted = redis.multi().incr(key).expire(key, WRONG_TOKEN_WINDOW_S, 'NX').exec();
    const [[, count] = []] = (await answerWithin(PATIENCE_MS, counted)) ?? [];
    return Number(count ?? 1) - 1;
  };

  return {
    before: async (client, isWrong) => {
      const before = here.get(client) ?? 0;
      if (isWrong) here.set(client, before + 1);
      if (!countersUp()) return before;
      // The gauge of Redis shows a failure.
      return Math.max(before, await inRedis(client, isWrong).catch(() => 0));
    },
  };
};
