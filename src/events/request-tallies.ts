import type { BidderOffer, ImpressionStep } from '../bidders/bidder-observer.ts';
import { createAdTallies, type AdTallies } from './ad-tallies.ts';
import { createBidTable } from './bid-table.ts';
import type { RequestBatch, RequestCounts } from './postgres/request-counts.ts';

/** Counts requests for ads, the ads served, and what bidders answered, in memory, and adds them to the roll-ups of reports in batches. */
export interface RequestTallies extends Pick<AdTallies, 'request' | 'serve'> {
  /** One more at a step of a bidder. @param reason why a bid was refused; '': any other step */
  countBid(offer: BidderOffer, step: ImpressionStep, reason: string): void;
  start(): void;
  /** Resolves after a last attempt to store what was counted. */
  stop(): Promise<void>;
}

export interface RequestTalliesOptions {
  readonly store: RequestCounts;
  /** This replica. */
  readonly replica: string;
  readonly now?: () => number;
  readonly flushMs?: number;
  readonly onFailure: (fault: Error) => void;
}

const FLUSH_MS = 5_000;
/** The local hours of every time zone begin with a quarter of an hour in UTC. */
const QUARTER_MS = 900_000;
/** Two days of quarters. Older batches are dropped while Postgres is away for longer. */
const MAX_BATCHES = 192;
/** Of one batch: 4 MB. What bidders answer to further offers is not counted until the next one. */
const MAX_BID_ROWS = 16_384;

/**
 * A batch is sent until its answer arrives, with its number: the store adds it once. While Postgres
 * is away, batches wait in memory, one for each quarter of an hour. A replica that is killed loses
 * what it counted since the last flush.
 */
export const createRequestTallies = (options: RequestTalliesOptions): RequestTallies => {
  const { store, replica, now = Date.now, flushMs = FLUSH_MS, onFailure } = options;
  const ads = createAdTallies();
  const bids = createBidTable(MAX_BID_ROWS);
  let isFull = false;
  let begunMs = now();
  let sealed = 0;
  const waiting: RequestBatch[] = [];
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  /** Ends the current batch, so that it can be sent. Its time is that of its last request, or earlier. */
  const seal = (atMs: number): void => {
    if (ads.size + bids.size > 0) waiting.push({ batch: ++sealed, atMs, ...ads.take(), bids: bids.take() });
    isFull = false;
    if (waiting.length > MAX_BATCHES) {
      waiting.shift();
      onFailure(new Error('counts of requests were dropped: Postgres has been away for two days'));
    }
  };

  const flush = async (): Promise<void> => {
    const nowMs = now();
    const isNewQuarter = Math.floor(nowMs / QUARTER_MS) !== Math.floor(begunMs / QUARTER_MS);
    if (isNewQuarter) seal(begunMs);
    else if (waiting.length === 0) seal(nowMs);
    begunMs = nowMs;
    for (let batch = waiting[0]; batch; batch = waiting[0]) {
      await store.add(replica, batch);
      waiting.shift();
    }
  };
  const tick = (): Promise<void> => {
    running ??= flush()
      .catch(onFailure)
      .finally(() => (running = undefined));
    return running;
  };

  return {
    request: ads.request,
    serve: ads.serve,
    countBid: (offer, step, reason) => {
      if (bids.add(offer, step, reason) || isFull) return;
      isFull = true;
      onFailure(new Error(`answers of bidders were not counted: more than ${MAX_BID_ROWS} different ones since the last batch`));
    },
    start: () => {
      timer ??= setInterval(() => void tick(), flushMs);
    },
    stop: async () => {
      clearInterval(timer);
      await running;
      await tick();
    },
  };
};
