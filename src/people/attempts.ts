import { LRUCache } from 'lru-cache';
import type { LedgerKeys } from '../ledger/ledger-keys.ts';
import { answerWithin } from '../redis/answer-within.ts';
import type { RedisClient } from '../redis/redis-client.ts';

/**
 * How many attempts a window has; further ones get 429. The window begins with the first, and further
 * attempts do not prolong it.
 */
export const ATTEMPTS = {
  /** Wrong bearer tokens of a network. */
  token: { max: 10, windowS: 60 },
  /** Sign-ins of a network, whoever signs in. An office of some hundred people has one address. */
  network: { max: 50, windowS: 900 },
  /** Sign-ins to an account from browsers in which it has not signed in before. */
  account: { max: 10, windowS: 900 },
  /** Sign-ins to an account from a browser in which it has. */
  device: { max: 10, windowS: 900 },
  /** Sign-ins by passkey of a network: whoever guesses passwords there does not keep out who has one. */
  passkey: { max: 50, windowS: 900 },
  /** Mails to reset a password, by account. */
  reset: { max: 3, windowS: 3_600 },
  /** Calls of the tools for agents, by token: AGENT_CALLS. */
  agent: { max: 300, windowS: 60 },
} as const;
export type AttemptKind = keyof typeof ATTEMPTS;

/** Counters in Redis that the service can do without. */
export interface RedisCounters {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  readonly countersUp: () => boolean;
}

const PATIENCE_MS = 500;
const MAX_REMEMBERED = 10_000;

/** Failed attempts to be let in, by whom they are counted for, over all replicas. */
export const createAttempts = ({ redis, keys, countersUp }: RedisCounters) => {
  const here = new LRUCache<string, number>({ max: MAX_REMEMBERED, noUpdateTTL: true });

  const inRedis = async (kind: AttemptKind, who: string): Promise<number> => {
    const key = keys.attempts(kind, who);
    const counted = redis.multi().incr(key).expire(key, ATTEMPTS[kind].windowS, 'NX').exec();
    const [[, count] = []] = (await answerWithin(PATIENCE_MS, counted)) ?? [];
    return Number(count ?? 0);
  };

  return {
    /**
     * Counts one more, and returns how many there were within the window. Never rejects: without Redis,
     * this replica's own count is used.
     */
    count: async (kind: AttemptKind, who: string): Promise<number> => {
      const name = `${kind} ${who}`;
      const own = (here.get(name) ?? 0) + 1;
      here.set(name, own, { ttl: ATTEMPTS[kind].windowS * 1000 });
      if (!countersUp()) return own;
      // The gauge of Redis shows a failure.
      return Math.max(own, await inRedis(kind, who).catch(() => 0));
    },
    /** One that was counted has succeeded. */
    takeBack: async (kind: AttemptKind, who: string): Promise<void> => {
      const name = `${kind} ${who}`;
      here.set(name, Math.max(0, (here.get(name) ?? 0) - 1));
      if (!countersUp()) return;
      const key = keys.attempts(kind, who);
      // A window that has ended meanwhile begins anew with one attempt more.
      const taken = redis.multi().decr(key).expire(key, ATTEMPTS[kind].windowS, 'NX').exec();
      await answerWithin(PATIENCE_MS, taken).catch(() => undefined);
    },
  };
};

export type Attempts = ReturnType<typeof createAttempts>;
