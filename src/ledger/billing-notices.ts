import type { ServedAd } from './hit.ts';
import type { LedgerKeys } from './ledger-keys.ts';
import type { RedisClient } from '../redis/redis-client.ts';

/**
 * Where bidders want to be told that their bid was billed: kept in Redis from the selection to the impression, because any replica may see
 * the impression, and a token with a URL in it would be twice as long.
 */
export interface BillingNotices {
  /** Nobody waits for it; a notice that cannot be kept is one that is not sent, which OpenRTB allows. */
  keep(ad: ServedAd, url: string): void;
  /** The URL, given out once; undefined when there is none. */
  take(ad: ServedAd): Promise<string | undefined>;
}

export interface BillingNoticesOptions {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  readonly now: () => number;
  readonly onFailure: (fault: Error) => void;
}

export const createBillingNotices = ({ redis, keys, now, onFailure }: BillingNoticesOptions): BillingNotices => ({
  keep: ({ publisherId, tokenId, tokenExpS }, url) => {
    const ttlMs = Math.max(tokenExpS * 1000 - now(), 1000);
    redis.set(keys.billingNotice(publisherId, tokenId), url, 'PX', ttlMs).catch(onFailure);
  },
  take: async ({ publisherId, tokenId }) => {
    try {
      return (await redis.getdel(keys.billingNotice(publisherId, tokenId))) ?? undefined;
    } catch (fault) {
      onFailure(fault as Error);
      return undefined;
    }
  },
});
