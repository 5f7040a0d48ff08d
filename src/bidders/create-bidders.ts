import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { LRUCache } from 'lru-cache';
import { answersOf, type CallResult } from './calls/answers-of-call.ts';
import type { BidOutcome } from './bid-outcome.ts';
import { bidderId, createBidderEndpoint, type BidderEndpoint, type CircuitSettings } from './calls/bidder-endpoint.ts';
import type { BidderObserver } from './bidder-observer.ts';
import type { BidAnswers, BidContext, Bidders, BidOpportunity } from './bidder-port.ts';
import { withhold } from '../context/consent/withhold.ts';
import { buildBidRequest, isSecurePage } from './openrtb/build-bid-request.ts';
import { createBidResults } from './notices/bid-results.ts';
import { groupInvitations, type BidderCall } from './calls/group-invitations.ts';
import { createGuardedDispatchers, type GuardedDispatchersOptions } from './calls/guarded-dispatcher.ts';
import { createNoticeSender } from './notices/notice-sender.ts';
import { mayNotify } from './notices/may-notify.ts';
import { MAX_ANSWER_BYTES, type BidAnswer, type BidCall } from './calls/post-bid-request.ts';
import { readBidderUrl } from './calls/read-bidder-url.ts';
import { readBidResponse, type AskedBid } from './openrtb/read-bid-response.ts';

export interface BiddersOptions {
  /**
   * For all bidders of one ad request together: name resolution, connections, headers and bodies
   * included.
   */
  readonly timeoutMs: number;
  /** Development only: plain http and private addresses. False means https and public addresses. */
  readonly allowPrivateAddresses: boolean;
  readonly observe: BidderObserver;
  readonly log: Readonly<Record<'info' | 'error', (message: string, fields: Readonly<Record<string, unknown>>) => void>>;
  /** ISO 4217; the prices of the service are USD. */
  readonly currency?: string;
  readonly noticeTimeoutMs?: number;
  readonly circuit?: CircuitSettings;
  /** Endpoints and pools unused for this long are evicted. */
  readonly idleMs?: number;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
  readonly newId?: () => string;
  readonly resolve?: GuardedDispatchersOptions['resolve'];
  readonly traceCall?: TraceBidderCall | undefined;
}

/** Runs a bidder call in a span, with the headers that continue its trace at the bidder. */
export type TraceBidderCall = (
  bidder: { readonly endpoint: string; readonly mayShare: boolean },
  call: (headers: BidCall['headers']) => Promise<BidAnswer>,
) => Promise<BidAnswer>;

/** Endpoints kept at a time, which also limits the number of metric series labelled with one. */
export const MAX_ENDPOINTS = 256;
const CONNECTIONS_PER_BIDDER = 50;
const NOTHING: BidAnswers = { bids: [], refusals: [] };

export const createBidders = (options: BiddersOptions): Bidders => {
  const { timeoutMs, allowPrivateAddresses, observe, log } = options;
  const { currency = 'USD', noticeTimeoutMs = 2_000, idleMs = 10 * 60_000 } = options;
  const {
    circuit = { failuresInRow: 5, retryAfterMs: 5_000, trialTimeoutMs: timeoutMs },
    now = () => performance.now(),
    newId = randomUUID,
    traceCall = (_bidder, call) => call(undefined),
  } = options;
  const guard = { allowPrivateAddresses, idleMs, ...(options.resolve && { resolve: options.resolve }) };
  const dispatchers = createGuardedDispatchers({
    ...guard,
    connections: CONNECTIONS_PER_BIDDER,
    maxOrigins: MAX_ENDPOINTS,
    connectTimeoutMs: timeoutMs,
    maxResponseBytes: MAX_ANSWER_BYTES,
  });
  // Separate pools: bidders choose the hosts in notices, which must not evict the pools of
  // endpoints.
  const noticeDispatchers = createGuardedDispatchers({
    ...guard,
    connections: 4,
    maxOrigins: 64,
    connectTimeoutMs: noticeTimeoutMs,
    maxResponseBytes: MAX_ANSWER_BYTES,
  });
  const notices = createNoticeSender({
    allowPrivateAddresses,
    dispatchers: noticeDispatchers,
    timeoutMs: noticeTimeoutMs,
    observe: observe.notice,
  });
  const results = createBidResults(notices);

  const endpoints = new LRUCache<string, { readonly endpoint: BidderEndpoint; readonly id: string }>({
    max: MAX_ENDPOINTS,
    ttl: idleMs,
    updateAgeOnGet: true,
    dispose: ({ id }) => observe.circuit(id, null),
  });
  const endpointOf = (url: URL, lineItemId: number | undefined): BidderEndpoint => {
    const known = endpoints.get(url.href);
    if (known) return known.endpoint;
    const id = bidderId(url);
    log.info('A bidder is called for the first time', { bidder: id, host: url.host, lineItemId });
    const endpoint = createBidderEndpoint({ url, dispatchers, circuit, onCircuit: (state) => observe.circuit(id, state) });
    endpoints.set(url.href, { endpoint, id });
    return endpoint;
  };
  const sweeper = setInterval(() => {
    endpoints.purgeStale();
    dispatchers.sweep();
    noticeDispatchers.sweep();
  }, 60_000).unref();
  let closed = false;

  const exchange = async (
    { endpoint, opportunities }: BidderCall,
    body: string,
    signal: AbortSignal,
    headers: BidCall['headers'],
  ): Promise<BidAnswer> => {
    const url = readBidderUrl(endpoint, { allowPrivateAddresses });
    if (typeof url === 'string') return { kind: 'refused', outcome: url };
    return closed
      ? { kind: 'refused', outcome: 'busy' }
      : endpointOf(url, opportunities[0]?.invitations[0]?.lineItem.id).ask(body, signal, headers);
  };

  const askBidder = async (
    call: BidderCall,
    { context, transactionId, startedAt, budgetMs, deadline }: Auction,
  ): Promise<CallResult['read']> => {
    const asked: AskedBid = {
      auctionId: newId(),
      currency,
      format: call.format,
      secure: isSecurePage(context.pageUrl),
      mayNotify: mayNotify(call),
      imps: new Map(
        call.opportunities.map(({ impId, width, height, otherSizes, floorMicros }) => [
          impId,
          { size: { width, height }, otherSizes, floorMicros },
        ]),
      ),
    };
    const tmaxMs = Math.max(1, Math.floor(budgetMs - (now() - startedAt)));
    const verdict = context.shareWith(call.gvlId);
    const shared = withhold(context, verdict);
    const body = JSON.stringify(buildBidRequest({ ...asked, transactionId, tmaxMs, opportunities: call.opportunities, context: shared }));
    // The race covers what an abort cannot interrupt, such as gunzip; the abort frees everything
    // else.
    const answer = await Promise.race([
      traceCall({ endpoint: call.endpoint, mayShare: verdict === null }, (headers) => exchange(call, body, deadline.signal, headers)),
      deadline.passed,
    ]);
    return answer.kind === 'answer' ? readBidResponse(answer.json, asked) : answer;
  };

  const ask = async (opportunities: readonly BidOpportunity[], context: BidContext): Promise<BidAnswers> => {
    const calls = groupInvitations(opportunities);
    if (calls.length === 0) return NOTHING;
    const budgetMs = Math.min(timeoutMs, context.maxMs ?? timeoutMs);
    const auction: Auction = { context, transactionId: newId(), startedAt: now(), budgetMs, deadline: startDeadline(budgetMs) };
    const answers = calls.map(async (call): Promise<CallResult> => {
      // An internal error costs this bidder's bid, not the whole response.
      const read = await askBidder(call, auction).catch((error: unknown): CallResult['read'] => {
        log.error('Bidder call failed', { lineItemId: call.opportunities[0]?.invitations[0]?.lineItem.id, error });
        return { kind: 'refused', outcome: 'internal_error' };
      });
      observe.call(callOutcome(read), now() - auction.startedAt);
      return { call, read };
    });
    const { bids, refusals, judged } = answersOf(await Promise.all(answers));
    auction.deadline.clear();
    results.remember(bids);
    for (const { outcome, lossNoticeUrl, foreignNotices } of judged) {
      observe.bid(outcome);
      for (const kind of foreignNotices) observe.notice(kind, 'foreign_host');
      if (lossNoticeUrl !== null) notices.send('loss', lossNoticeUrl);
    }
    return { bids, refusals };
  };

  return {
    ask,
    notifyWin: results.won,
    notifyLoss: results.lost,
    notifyBilled: (url) => notices.send('billing', url),
    close: async () => {
      closed = true;
      clearInterval(sweeper);
      await notices.close(noticeTimeoutMs);
      endpoints.clear();
      await Promise.all([dispatchers.close(), noticeDispatchers.close()]);
    },
  };
};

const callOutcome = (read: CallResult['read']): BidOutcome => {
  if ('kind' in read) return read.outcome;
  return read.best.size === 0 && read.refused.length === 0 ? 'no_bid' : 'accepted';
};

interface Auction {
  readonly context: BidContext;
  readonly transactionId: string;
  readonly startedAt: number;
  readonly budgetMs: number;
  readonly deadline: Deadline;
}

interface Deadline {
  readonly signal: AbortSignal;
  readonly passed: Promise<BidAnswer>;
  readonly clear: () => void;
}

const startDeadline = (timeoutMs: number): Deadline => {
  const controller = new AbortController();
  // One listener for each bidder of the request, by design.
  setMaxListeners(0, controller.signal);
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<BidAnswer>((resolve) => {
    timer = setTimeout(() => {
      controller.abort();
      resolve({ kind: 'refused', outcome: 'timeout' });
    }, timeoutMs);
  });
  return { signal: controller.signal, passed, clear: () => clearTimeout(timer) };
};
