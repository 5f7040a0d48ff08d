import { MS_PER_QUARTER } from '../base/utc-day.ts';
import type { BidderOffer, ImpressionStep } from '../bidders/bidder-observer.ts';
import { createAdTallies, type CountedPlacement, type CountedVisitor, type TakenTallies } from './ad-tallies.ts';
import type { ServedAd } from '../ledger/hit.ts';
import { createBidTable } from './bid-table.ts';
import type { RequestBatch, RequestCounts } from './postgres/request-counts.ts';

export interface RequestTalliesOptions {
  readonly store: RequestCounts;
  /** This replica. */
  readonly replica: string;
  readonly now?: () => number;
  /** How long counts are gathered in memory, if that is less than ten seconds. */
  readonly flushMs: number;
  readonly onFailure: (fault: Error) => void;
}

const MAX_FLUSH_MS = 10_000;
const MIN_FLUSH_MS = 5;
/** Of requests, and of serves: 7 MB. A batch with so many is sent before its time. */
const MAX_ROWS = 65_536;
/** While Postgres is away, of each quarter of an hour. */
const WAITING_ROWS = 16_384;
/** Older batches are dropped while Postgres is away for longer: two days of quarters, or 100 MB. */
const MAX_BATCHES = 192;
const MAX_WAITING_ROWS = 1_000_000;
/** Of one batch: 4 MB. With so many it is sent too; what bidders answer to further offers while another one is on its way is not counted. */
const MAX_BID_ROWS = 16_384;

/**
 * Counts requests for ads, the ads served, and what bidders answered, in memory, and adds them to the roll-ups of reports in batches. A
 * batch is sent until its answer arrives, with its number: the store adds it once. While Postgres is away, batches wait in memory, one for
 * each quarter of an hour. A replica that is killed loses what it counted since the last flush.
 */
export const createRequestTallies = (options: RequestTalliesOptions) => {
  const { store, replica, now = Date.now, flushMs, onFailure } = options;
  const ads = createAdTallies(() => (waiting.length < 2 ? MAX_ROWS : WAITING_ROWS));
  const bids = createBidTable(MAX_BID_ROWS);
  let isFull = false;
  let begunMs = now();
  let sealed = 0;
  const waiting: (RequestBatch & TakenTallies)[] = [];
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  /** Ends the current batch, so that it can be sent. Its time is that of its last request, or earlier. */
  const seal = (atMs: number): void => {
    if (ads.size + bids.size > 0) waiting.push({ batch: ++sealed, atMs, ...ads.take(), bids: bids.take() });
    isFull = false;
    const isTooMuch = (): boolean =>
      waiting.length > MAX_BATCHES ||
      waiting.reduce((sum, { requests, serves }) => sum + requests.size + serves.size, 0) > MAX_WAITING_ROWS;
    if (waiting.length < 2 || !isTooMuch()) return;
    waiting.shift();
    onFailure(new Error('the oldest counts of requests were dropped: Postgres has been away for too long'));
  };

  const flush = async (): Promise<void> => {
    const nowMs = now();
    const isNewQuarter = Math.floor(nowMs / MS_PER_QUARTER) !== Math.floor(begunMs / MS_PER_QUARTER);
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

  const sendIfFull = (): void => {
    if ((ads.size >= MAX_ROWS || bids.size >= MAX_BID_ROWS) && waiting.length === 0) void tick();
  };

  return {
    /** As of ad-tallies.ts. */
    request: (publisherId: number, placement: CountedPlacement | undefined, visitor: CountedVisitor, reason: string): void => {
      ads.request(publisherId, placement, visitor, reason);
      sendIfFull();
    },
    serve: (ad: ServedAd, visitor: CountedVisitor): void => {
      ads.serve(ad, visitor);
      sendIfFull();
    },
    /** One more at a step of a bidder. @param reason why a bid was refused; '': any other step */
    countBid: (offer: BidderOffer, step: ImpressionStep, reason: string): void => {
      const isCounted = bids.add(offer, step, reason);
      sendIfFull();
      if (isCounted || isFull) return;
      isFull = true;
      onFailure(new Error(`answers of bidders were not counted: more than ${MAX_BID_ROWS} different ones since the last batch`));
    },
    start: (): void => {
      timer ??= setInterval(() => void tick(), Math.min(Math.max(flushMs, MIN_FLUSH_MS), MAX_FLUSH_MS));
    },
    /** Resolves after a last attempt to store what was counted. */
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await running;
      await tick();
    },
  };
};
