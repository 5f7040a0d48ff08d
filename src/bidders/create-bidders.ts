import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { answersOf, type CallResult } from './calls/answers-of-call.ts';
import type { Bidder } from '../catalog/model/entities.ts';
import type { BidOutcome } from './bid-outcome.ts';
import { bidderLabel, createBidderEndpoint, type BidderEndpoint, type CircuitSettings } from './calls/bidder-endpoint.ts';
import type { BidderObserver, CircuitState } from './bidder-observer.ts';
import { rateBetween, type RateOf } from './currency-rates.ts';
import type { BidAnswers, BidContext, Bidders, BidOpportunity } from './bidder-port.ts';
import { withhold } from '../context/consent/withhold.ts';
import { buildBidRequest, isSecurePage } from './openrtb/build-bid-request.ts';
import { createBidResults } from './notices/bid-results.ts';
import { countSteps, countWin } from './calls/count-steps.ts';
import { groupInvitations, type BidderCall } from './calls/group-invitations.ts';
import { createDeadlines, type Deadline } from './calls/deadlines.ts';
import { createGuardedDispatchers, type GuardedDispatchersOptions } from './calls/guarded-dispatcher.ts';
import { createNoticeSender } from './notices/notice-sender.ts';
import { mayNotify } from './notices/may-notify.ts';
import { MAX_ANSWER_BYTES, type BidAnswer, type CallHeaders } from './calls/post-bid-request.ts';
import { readBidderUrl } from './calls/read-bidder-url.ts';
import { readBidResponse, type AskedBid } from './openrtb/read-bid-response.ts';
import { MS_PER_MINUTE } from '../base/utc-day.ts';

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
  readonly rateOf: RateOf;
  /** The value of a bidder's header; undefined: it cannot be opened. */
  readonly openHeader: (sealed: string) => string | undefined;
  readonly noticeTimeoutMs?: number;
  readonly circuit?: CircuitSettings;
  readonly resolve?: GuardedDispatchersOptions['resolve'];
  readonly traceCall?: TraceBidderCall | undefined;
}

/** Runs a bidder call in a span, with the headers that continue its trace at the bidder. */
export type TraceBidderCall = (
  bidder: { readonly endpoint: string; readonly mayShare: boolean },
  call: (headers: CallHeaders) => Promise<BidAnswer>,
) => Promise<BidAnswer>;

/** Endpoints kept at a time, which also limits the number of metric series labelled with one. */
export const MAX_ENDPOINTS = 256;
const CONNECTIONS_PER_BIDDER = 50;
/** Endpoints and pools unused for this long are evicted. */
const IDLE_MS = 10 * MS_PER_MINUTE;
const NOTHING: BidAnswers = { bids: [], refusals: [] };

export const createBidders = (options: BiddersOptions): Bidders => {
  const { timeoutMs, allowPrivateAddresses, rateOf, openHeader, observe, log } = options;
  const {
    noticeTimeoutMs = 2_000,
    circuit = { failuresInRow: 5, retryAfterMs: 5_000, trialTimeoutMs: timeoutMs },
    traceCall = (_bidder, call) => call(undefined),
  } = options;
  const poolsOf = (connections: number, maxOrigins: number, connectTimeoutMs: number) =>
    createGuardedDispatchers({
      ...{ allowPrivateAddresses, connections, maxOrigins, connectTimeoutMs, idleMs: IDLE_MS, maxResponseBytes: MAX_ANSWER_BYTES },
      ...(options.resolve && { resolve: options.resolve }),
    });
  const dispatchers = poolsOf(CONNECTIONS_PER_BIDDER, MAX_ENDPOINTS, timeoutMs);
  // Separate pools: bidders choose the hosts in notices, which must not evict the pools of
  // endpoints.
  const noticeDispatchers = poolsOf(4, 64, noticeTimeoutMs);
  const notices = createNoticeSender({
    allowPrivateAddresses,
    dispatchers: noticeDispatchers,
    timeoutMs: noticeTimeoutMs,
    observe: observe.notice,
  });
  const results = createBidResults(notices, (bid) => countWin(observe, bid));

  const endpoints = new LRUCache<string, KnownEndpoint>({
    max: MAX_ENDPOINTS,
    ttl: IDLE_MS,
    updateAgeOnGet: true,
    dispose: ({ id }) => observe.circuit(id, null),
  });
  /** undefined: its headers cannot be opened. */
  const endpointOf = (bidder: Bidder, url: URL): KnownEndpoint | undefined => {
    const { gzip } = bidder;
    const key = JSON.stringify([url.href, gzip, bidder.headers]);
    const known = endpoints.get(key);
    if (known) return known;
    const opened = Object.entries(bidder.headers).map(([name, sealed]) => [name, openHeader(sealed)] as const);
    if (opened.some(([, value]) => value === undefined)) return undefined;
    const headers = Object.fromEntries(opened) as Readonly<Record<string, string>>;
    const id = bidderLabel(bidder, url);
    // Of the same bidder before its record changed: its series is this one's from now on.
    for (const [other, { id: otherId }] of endpoints.entries()) if (otherId === id) endpoints.delete(other);
    log.info('A bidder is called for the first time', { bidder: id, host: url.host });
    const onCircuit = (state: CircuitState): void => observe.circuit(id, state);
    const onShare = (share: number): void => observe.askedShare(id, share);
    const endpoint = createBidderEndpoint({ url, headers, gzip, dispatchers, circuit, onCircuit, onShare });
    endpoints.set(key, { endpoint, id });
    return { endpoint, id };
  };
  const sweeper = setInterval(() => {
    endpoints.purgeStale();
    dispatchers.sweep();
    noticeDispatchers.sweep();
  }, 60_000).unref();
  let closed = false;

  /** Where a bidder is called, or why it cannot be. */
  const find = (bidder: Bidder): KnownEndpoint | BidOutcome => {
    const url = readBidderUrl(bidder.endpoint, { allowPrivateAddresses });
    if (typeof url === 'string') return url;
    return closed ? 'busy' : (endpointOf(bidder, url) ?? 'sealed_headers');
  };

  const askBidder = async (
    call: BidderCall,
    endpoint: BidderEndpoint,
    { context, transactionId, startedAt, deadlineOf }: Auction,
  ): Promise<CallResult['read']> => {
    const { bidder, format } = call;
    const { currency: booked } = context.publisher;
    const currency = bidder.currency ?? booked;
    const rate = rateBetween(rateOf, booked, currency);
    if (rate === undefined) return { kind: 'refused', outcome: 'no_rate' };
    const imps = call.opportunities.map(({ impId, placement, width, height, otherSizes, battr, video, pod, floors }) => ({
      impId,
      placement,
      size: { width, height },
      otherSizes,
      battr,
      // The rules of the request are the nearer ones.
      players: [video, placement.video, pod && { max_duration: pod.maxMs / 1000 }],
      pod,
      floors: new Map(Array.from(floors, ([deal, micros]) => [deal, Math.ceil((micros / bidder.bidAdjustment) * rate)])),
    }));
    const asked: AskedBid = {
      auctionId: randomUUID(),
      bidder,
      ...{ currencies: { asked: currency, booked }, rateOf },
      blocked: [context.publisher.blocked, ...(context.blocked ? [context.blocked] : []), bidder.blocked],
      dsa: context.dsa,
      format,
      secure: isSecurePage(context.pageUrl),
      mayNotify: mayNotify(call),
      imps: new Map(imps.map((imp) => [imp.impId, imp])),
    };
    const deadline = deadlineOf(bidder.timeoutShare);
    const tmaxMs = Math.max(1, Math.floor(deadline.budgetMs - (performance.now() - startedAt)));
    const verdict = context.shareWith(bidder.gvlId);
    const shared = withhold(context, verdict);
    const body = JSON.stringify(
      buildBidRequest({
        ...{ auctionId: asked.auctionId, transactionId, tmaxMs, bidder, currency, blocked: asked.blocked, format, imps },
        ...{ context: shared, rate },
      }),
    );
    // The race covers what an abort cannot interrupt, such as gunzip; the abort frees everything
    // else.
    const answer = await Promise.race([
      traceCall({ endpoint: bidder.endpoint, mayShare: verdict === null }, (headers) => endpoint.ask(body, deadline.signal, headers)),
      deadline.passed,
    ]);
    return answer.kind === 'answer' ? readBidResponse(answer.json, asked) : answer;
  };

  const ask = async (opportunities: readonly BidOpportunity[], context: BidContext): Promise<BidAnswers> => {
    const calls = groupInvitations(opportunities, context.bidders);
    if (calls.length === 0) return NOTHING;
    const deadlines = createDeadlines(Math.min(timeoutMs, context.maxMs ?? timeoutMs));
    const auction: Auction = { context, transactionId: randomUUID(), startedAt: performance.now(), deadlineOf: deadlines.of };
    const answers = calls.map(async (call): Promise<CallResult> => {
      const found = find(call.bidder);
      if (typeof found === 'string') {
        observe.call(found, performance.now() - auction.startedAt);
        return { call, bidder: '', read: { kind: 'refused', outcome: found } };
      }
      // An internal error costs this bidder's bid, not the whole response.
      const read = await askBidder(call, found.endpoint, auction).catch((error: unknown): CallResult['read'] => {
        log.error('Bidder call failed', { lineItemId: call.opportunities[0]?.invitations[0]?.lineItem.id, error });
        return { kind: 'refused', outcome: 'internal_error' };
      });
      observe.call(callOutcome(read), performance.now() - auction.startedAt);
      countSteps(observe, { bidder: found.id, context }, call, read);
      return { call, bidder: found.id, read };
    });
    const { bids, refusals, judged } = answersOf(await Promise.all(answers));
    deadlines.clear();
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
  return read.best.length === 0 && read.refused.length === 0 ? 'no_bid' : 'accepted';
};

interface KnownEndpoint {
  readonly endpoint: BidderEndpoint;
  /** `bidderLabel`. */
  readonly id: string;
}

interface Auction {
  readonly context: BidContext;
  readonly transactionId: string;
  readonly startedAt: number;
  /** Of the bidders that may use this share of the time. */
  readonly deadlineOf: (timeoutShare: number) => Deadline;
}
