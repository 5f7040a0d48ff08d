import type { RedisLink } from '../redis/redis-link.ts';

export interface ClickExpiryOptions {
  readonly link: Pick<RedisLink, 'upOf'>;
  readonly shards: number;
  /** Of ledger/settle/expire-clicks.ts. */
  readonly expireClicks: (shard: number) => Promise<number>;
  readonly everyMs?: number;
  /** Called with the number of clicks that were filtered. */
  readonly onExpired: (clicks: number) => void;
  readonly onFailure: (fault: Error) => void;
}

/** Filters, all the time, the clicks whose impression has not come in time. */
export const createClickExpiry = ({ link, shards, expireClicks, everyMs = 1000, onExpired, onFailure }: ClickExpiryOptions) => {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const pass = async (): Promise<void> => {
    for (let shard = 0; shard < shards; shard++) {
      if (!link.upOf(shard)) continue;
      try {
        const clicks = await expireClicks(shard);
        if (clicks > 0) onExpired(clicks);
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
