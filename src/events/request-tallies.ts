import type { BidderOffer, ImpressionStep } from '../bidders/bidder-observer.ts';
import { createBidTable } from './bid-table.ts';
import type { RequestBatch, RequestCount, RequestCounts } from './postgres/request-counts.ts';

/** Counts requests for ads, and what bidders answered, in memory, and adds them to the roll-ups of reports in batches. */
export interface RequestTallies {
  /**
   * One impression of a request: three map lookups, without text or I/O.
   *
   * @param placementId '' for one that the publisher does not have, so that requests cannot add keys
   * @param reason the no-bid reason; 0: it was filled
   */
  count(publisherId: number, placementId: string, reason: number): void;
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
  readonly nameOf: (reason: number) => string;
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

type Tally = Map<number, Map<string, Map<number, number>>>;

/**
 * A batch is sent until its answer arrives, with its number: the store adds it once. While Postgres
 * is away, batches wait in memory, one for each quarter of an hour. A replica that is killed loses
 * what it counted since the last flush.
 */
export const createRequestTallies = (options: RequestTalliesOptions): RequestTallies => {
  const { store, replica, nameOf, now = Date.now, flushMs = FLUSH_MS, onFailure } = options;
  let tally: Tally = new Map();
  const bids = createBidTable(MAX_BID_ROWS);
  let isFull = false;
  let begunMs = now();
  let sealed = 0;
  const waiting: RequestBatch[] = [];
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  /** Ends the current batch, so that it can be sent. Its time is that of its last request, or earlier. */
  const seal = (atMs: number): void => {
    if (tally.size + bids.size > 0) waiting.push({ batch: ++sealed, atMs, counts: countsOf(tally, nameOf), bids: bids.take() });
    tally = new Map();
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
    count: (publisherId, placementId, reason) => {
      let placements = tally.get(publisherId);
      if (!placements) tally.set(publisherId, (placements = new Map<string, Map<number, number>>()));
      let reasons = placements.get(placementId);
      if (!reasons) placements.set(placementId, (reasons = new Map<number, number>()));
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    },
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

const countsOf = (tally: Tally, nameOf: RequestTalliesOptions['nameOf']): readonly RequestCount[] => {
  const counts: RequestCount[] = [];
  for (const [publisherId, placements] of tally)
    for (const [placementId, reasons] of placements)
      for (const [reason, requests] of reasons)
        counts.push({ publisherId, placementId, reason: reason === 0 ? '' : nameOf(reason), requests });
  return counts;
};
