import { dayOf, MS_PER_DAY, MS_PER_HOUR } from '../base/utc-day.ts';
import type { LedgerKeys } from '../ledger/ledger-keys.ts';
import { answerWithin } from '../redis/answer-within.ts';
import type { RedisClient } from '../redis/redis-client.ts';

/** Quality reports that one client may send in an hour, whichever replica it reaches. */
export interface ReportLimit {
  /**
   * Counts a report.
   *
   * @param client a hash of the client's address; null: unknown, so that only the token is counted
   * @returns undefined when it may be stored, otherwise the seconds until the next one may
   */
  count(client: string | null, tokenId: string): Promise<number | undefined>;
  /**
   * Whether it is the client's first report of the creative on this UTC day. Only these count towards
   * pausing it: one client alone cannot. false also when the client or Redis is not known.
   */
  isFirst(client: string | null, creativeId: number): Promise<boolean>;
}

export interface ReportLimitOptions {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  /** Whether Redis is available; the connection has no queue. */
  readonly up: () => boolean;
  readonly patienceMs: number;
  /** Epoch ms. */
  readonly now: () => number;
}

/** An office behind one address reports a bad ad a few times. */
export const MAX_REPORTS_PER_CLIENT = 30;
/** A repeated report is the same row; a client repeats it after a lost answer. */
export const MAX_REPORTS_PER_TOKEN = 10;

/** While Redis is unavailable every report may be stored: a bad ad matters more than a full table. */
export const createReportLimit = ({ redis, keys, up, patienceMs, now }: ReportLimitOptions): ReportLimit => ({
  count: async (client, tokenId) => {
    if (!up()) return undefined;
    const atMs = now();
    const hour = Math.floor(atMs / MS_PER_HOUR);
    const endsMs = (hour + 1) * MS_PER_HOUR;
    const counted = redis.multi();
    for (const name of [`token:${tokenId}`, ...(client === null ? [] : [`client:${client}`])]) {
      const key = keys.reports(hour, name);
      counted.incr(key).pexpireat(key, endsMs + MS_PER_HOUR);
    }
    try {
      const [ofToken, , ofClient] = ((await answerWithin(patienceMs, counted.exec())) ?? []).map(([, count]) => Number(count));
      const spent = (ofToken ?? 0) > MAX_REPORTS_PER_TOKEN || (ofClient ?? 0) > MAX_REPORTS_PER_CLIENT;
      return spent ? Math.ceil((endsMs - atMs) / 1000) : undefined;
    } catch {
      // The gauge of Redis shows the failure.
      return undefined;
    }
  },
  isFirst: async (client, creativeId) => {
    if (client === null || !up()) return false;
    const day = dayOf(now());
    const key = keys.reports((day * MS_PER_DAY) / MS_PER_HOUR, `first:${creativeId}:${client}`);
    try {
      return (await answerWithin(patienceMs, redis.set(key, '1', 'PXAT', (day + 1) * MS_PER_DAY + MS_PER_HOUR, 'NX'))) === 'OK';
    } catch {
      // The gauge of Redis shows the failure.
      return false;
    }
  },
});
