import type { ServedAd } from './hit.ts';
import type { LedgerKeys } from './ledger-keys.ts';
import type { RedisClient } from '../redis/redis-client.ts';

/**
 * The billing notice URLs of bids, kept in Redis from the selection to the impression: any replica
 * may receive the impression, and a token that contained the URL would be twice as long.
 */
export interface BillingNotices {
  /** Returns without waiting. A notice that cannot be stored is not sent, which OpenRTB allows. */
  keep(ad: ServedAd, url: string): void;
  /** Returns the URL and deletes it; undefined when there is none. */
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
