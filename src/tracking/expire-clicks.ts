import type { ExpiredHits } from '../ledger/settle/expire-clicks.ts';
import type { RedisLink } from '../redis/redis-link.ts';

export interface ClickExpiryOptions {
  readonly link: Pick<RedisLink, 'upOf'>;
  readonly shards: number;
  /** Of ledger/settle/expire-clicks.ts. */
  readonly expireClicks: (shard: number) => Promise<ExpiredHits>;
  readonly everyMs?: number;
  /** Called when any were filtered. */
  readonly onExpired: (hits: ExpiredHits) => void;
  readonly onFailure: (fault: Error) => void;
}

/** Filters, all the time, the hits whose impression has not come in time. */
export const createClickExpiry = ({ link, shards, expireClicks, everyMs = 1000, onExpired, onFailure }: ClickExpiryOptions) => {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const pass = async (): Promise<void> => {
    for (let shard = 0; shard < shards; shard++) {
      if (!link.upOf(shard)) continue;
      try {
        const hits = await expireClicks(shard);
        if (hits.clicks + hits.viewable > 0) onExpired(hits);
      } catch (fault) {
        onFailure(fault as Error);
      }
    }
    running = undefined;
  };

  return {
    start: (): void => {
      timer ??= setInterval(() => {
        running ??= pass();
      }, everyMs);
    },
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await running;
    },
  };
};
