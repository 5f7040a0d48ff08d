import { MS_PER_HOUR, MS_PER_MINUTE } from '../../base/utc-day.ts';
import type { AdRequest } from '../../serving/ad-request.ts';
import { createShares, isSampled, type Share } from '../../serving/visitor-shares.ts';
import { sampleRequest } from './sample-request.ts';
import type { SampledRequest } from './sampled-request.ts';
import type { SampleStore } from './sample-store.ts';

export interface TrafficSampleOptions {
  readonly store: SampleStore;
  /** Impressions of a day and publisher that are kept, about; 0: no request is. */
  readonly perDay: number;
  readonly now?: () => number;
  /** Requests that were chosen and are not stored. */
  readonly onDropped: (requests: number) => void;
  readonly onFailure: (fault: Error) => void;
}

const FLUSH_MS = 10_000;
/** Gathered between two flushes, about 1 MB: what lives for seconds is promoted, and collected with everything else. */
const MAX_GATHERED = 2_000;

/**
 * Keeps a share of the requests for ads, with what targeting reads of them.
 *
 * The visitors of a share are sampled whole, by a hash of each, so that frequency caps and page views are as they were. Of
 * visitors who may not be measured every n-th request is counted, without a name. The share follows the day: it is halved each time
 * that requests have doubled beyond what is kept, also on the first day of a publisher, and all replicas take it from the same
 * counts. What Postgres refuses is dropped: a forecast with a gap is better than a replica that waits.
 */
export const createTrafficSample = (options: TrafficSampleOptions) => {
  const { store, perDay, now = Date.now, onDropped, onFailure } = options;
  const shares = createShares(perDay);
  let gathered: SampledRequest[] = [];
  let dropped = 0;
  let adaptedAtMs = -Infinity;
  let prunedAtMs = -Infinity;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const keep = (request: AdRequest, share: Share, userHashKey: string): void => {
    if (gathered.length >= MAX_GATHERED) dropped++;
    else gathered.push(...sampleRequest(request, share.weight, userHashKey));
  };

  const tell = (): void => {
    if (dropped > 0) onDropped(dropped);
    dropped = 0;
  };

  const flush = async (): Promise<void> => {
    const nowMs = now();
    const batch = gathered;
    const isTooMuch = dropped > 0;
    gathered = [];
    try {
      if (batch.length > 0) await store.add(batch);
    } catch (fault) {
      dropped += batch.length;
      onFailure(fault as Error);
    }
    tell();
    try {
      if (isTooMuch || nowMs - adaptedAtMs >= MS_PER_MINUTE) {
        adaptedAtMs = nowMs;
        shares.adapt(await store.requestsOfDay(nowMs));
      }
      if (nowMs - prunedAtMs >= MS_PER_HOUR) {
        prunedAtMs = nowMs;
        await store.prune(nowMs);
      }
    } catch (fault) {
      onFailure(fault as Error);
    }
  };
  const tick = (): Promise<void> => (running ??= flush().finally(() => (running = undefined)));

  return {
    /** Called for each request. Allocates nothing for those that are not chosen, and never waits. */
    note: (request: AdRequest, userHashKey: string): void => {
      const share = shares.of(request.publisher.id);
      if (isSampled(share, request)) keep(request, share, userHashKey);
    },
    /** Stores what was gathered. */
    flush: tick,
    start: (): void => {
      timer ??= setInterval(() => void tick(), FLUSH_MS);
    },
    /** Resolves after a last attempt to store what was gathered. */
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await running;
      await tick();
    },
  };
};
