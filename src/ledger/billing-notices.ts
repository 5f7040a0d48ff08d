import { IDLE_KEY_TTL_MS } from '../base/utc-day.ts';
import type { ServedAd } from './hit.ts';
import type { LedgerKeys } from './ledger-keys.ts';
import type { RedisClient } from '../redis/redis-client.ts';

export interface BillingNoticesOptions {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  readonly onFailure: (fault: Error) => void;
}

const BUCKET_MS = 60_000;
/**
 * A hit is accepted for a few seconds after the end of its token, by clocks that may differ by a
 * minute.
 */
const MARGIN_MS = 70_000;
/** A replica that starts deletes the buckets of the last day; older ones have a time to live. */
const FIRST_BUCKETS = 1_440;
const MAX_KEYS_PER_CALL = 500;

/**
 * The billing notice URLs of bids, kept in Redis from the selection to the impression: any replica
 * may receive the impression, and a token that contained the URL would be twice as long.
 *
 * The notices of all tokens that end in the same minute are a hash of their shard. It is deleted
 * when the fold horizon has passed it: an impression that waits in Postgres during an outage still
 * finds its notice, however long that takes.
 */
export const createBillingNotices = ({ redis, keys, onFailure }: BillingNoticesOptions) => {
  const droppedUpTo = new Map<number, number>();
  const bucketOf = ({ publisherId, tokenExpS }: ServedAd): string =>
    keys.billingNotices(keys.shardOf(publisherId), Math.floor((tokenExpS * 1000) / BUCKET_MS));
  return {
    /** Returns without waiting. A notice that cannot be stored is not sent, which OpenRTB allows. */
    keep: (ad: ServedAd, url: string): void => {
      const bucket = bucketOf(ad);
      redis.multi().hset(bucket, ad.tokenId, url).pexpire(bucket, IDLE_KEY_TTL_MS).exec().catch(onFailure);
    },
    /** Returns the URL and deletes it; undefined when there is none. */
    take: async (ad: ServedAd): Promise<string | undefined> => {
      const bucket = bucketOf(ad);
      try {
        const [found] = (await redis.multi().hget(bucket, ad.tokenId).hdel(bucket, ad.tokenId).exec()) ?? [];
        const [fault, url] = found ?? [];
        if (fault) throw fault;
        return (url as string | null | undefined) ?? undefined;
      } catch (fault) {
        onFailure(fault as Error);
        return undefined;
      }
    },
    /**
     * Deletes the notices of a shard whose impressions can no longer be counted. Returns without
     * waiting.
     *
     * @param horizonMs the fold horizon of the shard
     */
    drop: (shard: number, horizonMs: number): void => {
      const last = Math.floor((horizonMs - MARGIN_MS) / BUCKET_MS) - 1;
      const from = droppedUpTo.get(shard) ?? last - FIRST_BUCKETS;
      if (last <= from) return;
      droppedUpTo.set(shard, last);
      for (let first = from + 1; first <= last; first += MAX_KEYS_PER_CALL) {
        const count = Math.min(MAX_KEYS_PER_CALL, last - first + 1);
        redis.unlink(...Array.from({ length: count }, (_, i) => keys.billingNotices(shard, first + i))).catch(onFailure);
      }
    },
  };
};

export type BillingNotices = ReturnType<typeof createBillingNotices>;
