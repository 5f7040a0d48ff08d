import { MS_PER_DAY, MS_PER_HOUR } from '../base/utc-day.ts';
import type { LedgerKeys } from '../ledger/ledger-keys.ts';
import { answerWithin } from '../redis/answer-within.ts';
import type { RedisClient } from '../redis/redis-client.ts';

/** The ad that an image tag showed to a recipient. */
export interface ShownAd {
  readonly creativeId: number;
  /** The signed token; undefined: it has ended. */
  readonly token: string | undefined;
}

export interface ShownAdsOptions {
  readonly redis: RedisClient;
  readonly keys: Pick<LedgerKeys, 'shownAd' | 'shownAds'>;
  /** Whether Redis is available; the connection has no queue. */
  readonly up: () => boolean;
  readonly patienceMs: number;
  /** Epoch ms. */
  readonly now: () => number;
}

/** A mail is opened again, and its link clicked, on the next day: it then leads to the same advertiser, uncounted. */
const CREATIVE_LIFE_MS = 2 * MS_PER_DAY;

/**
 * Of one publisher, each with up to 800 bytes for the life of a token and 120 bytes for two days. More are
 * shown and not remembered: anybody may invent recipients.
 */
export const MAX_SHOWN_ADS_PER_HOUR = 50_000;

/**
 * Remembers which ad an image tag showed, because the link around the image is a fixed address. The
 * recipient's name is never stored: `name` is a keyed hash of it.
 */
export const createShownAds = ({ redis, keys, up, patienceMs, now }: ShownAdsOptions) => {
  const within = async <T>(call: Promise<T>): Promise<T | undefined> => {
    try {
      return await answerWithin(patienceMs, call);
    } catch {
      // The gauge of Redis shows the failure. The ad is shown; its link leads to the publisher's site.
      return undefined;
    }
  };
  return {
    /** undefined: none, or Redis is unavailable. */
    find: async (publisherId: number, name: string): Promise<ShownAd | undefined> => {
      if (!up()) return undefined;
      const [creativeId, token] =
        (await within(redis.mget(keys.shownAd(publisherId, 'creative', name), keys.shownAd(publisherId, 'token', name)))) ?? [];
      return creativeId == null ? undefined : { creativeId: Number(creativeId), token: token ?? undefined };
    },
    /** @param tokenLifeMs how long the token is valid */
    remember: async (publisherId: number, name: string, { creativeId, token }: Required<ShownAd>, tokenLifeMs: number): Promise<void> => {
      if (!up()) return;
      const counter = keys.shownAds(publisherId, Math.floor(now() / MS_PER_HOUR));
      const counted = await within(
        redis
          .multi()
          .incr(counter)
          .pexpire(counter, 2 * MS_PER_HOUR)
          .exec(),
      );
      const [count] = counted ?? [];
      if (count === undefined || Number(count[1]) > MAX_SHOWN_ADS_PER_HOUR) return;
      await within(
        redis
          .multi()
          .set(keys.shownAd(publisherId, 'creative', name), creativeId, 'PX', CREATIVE_LIFE_MS)
          .set(keys.shownAd(publisherId, 'token', name), token ?? '', 'PX', Math.max(1, Math.floor(tokenLifeMs)))
          .exec(),
      );
    },
  };
};

export type ShownAds = ReturnType<typeof createShownAds>;
