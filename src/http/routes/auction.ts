import type { Request, RequestHandler } from 'express';
import type { Publisher } from '../../catalog/model/entities.ts';
import { acceptsOrigin, normalOrigin } from '../../catalog/model/origins.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { pageCors, pageCorsList } from '../answers/cors.ts';
import { sendWhole, toBytes } from '../answers/send-whole.ts';
import { parseAuction, type WireAuction } from '../openrtb/auction-schema.ts';
import type { RateOf } from '../../bidders/currency-rates.ts';
import { pageOf, publisherIdOf, readAuction } from '../openrtb/read-auction.ts';
import type { ServeAd } from '../../serving/serve-ad.ts';
import { asksForTrace, toAdRequest } from '../openrtb/to-ad-request.ts';
import { AUCTION_HOLD_MS, type WriteAuction } from '../openrtb/write-auction.ts';
import { problem, sendProblem, type Problem } from '../problems/problem.ts';
import { localAddress } from '../request/local-address.ts';
import { readJson } from '../request/read-json.ts';
import { disclosureTo, type AdRouteOptions } from './ad.ts';

export interface AuctionRouteOptions extends Omit<AdRouteOptions, 'writeAnswer'> {
  readonly writeAuction: WriteAuction;
  readonly rateOf: RateOf;
  /** Decides without effects, for requests in test mode. */
  readonly dryServeAd: ServeAd;
  /** The address of this service; '': that of the connection, in development; undefined: unknown in production. */
  readonly publicUrl: string | undefined;
}

/** A page with 20 ad units, their parameters and first-party data sends about 40 kB. */
const MAX_AUCTION_BYTES = 128 * 1024;
/** A trace of 20 impressions takes 2 ms more. */
const MAX_TRACED_AUCTION_BYTES = 64 * 1024;

/**
 * POST /openrtb2/auction and /openrtb2/auction/{publisher id}: an OpenRTB 2.6 BidRequest as
 * Prebid.js sends it to Prebid Server, and Prebid Server to an adapter. The order of checks: JSON
 * (400, 413), the key where one is sent (401), required fields (400), the publisher (401), the
 * origin of the page (403), then the decision, which always answers 200.
 */
export const auctionRoute = (options: AuctionRouteOptions): RequestHandler => {
  const { currentSnapshot, serveAd, writeAuction, authenticate, observe, publicUrl } = options;
  return async function answerAuction(req, res) {
    const started = performance.now();
    observe.requested();
    const refuse = (sent: Problem): void => sendProblem(res, sent, pageCors(req));
    const body = await readJson(req, asksForTrace(req) ? MAX_TRACED_AUCTION_BYTES : MAX_AUCTION_BYTES, encodingOf(req));
    if (!body.ok) return body.problem && refuse(body.problem);
    const snapshot = currentSnapshot();
    if (!snapshot) return refuse(problem('unavailable', 'The campaign data has not been loaded yet.'));
    const base = publicUrl === '' ? localAddress(req) : publicUrl;
    if (base === undefined)
      return refuse(problem('unavailable', 'PUBLIC_URL is not set, and every address in an answer must be absolute.'));
    const key = req.get('x-api-key');
    const keyed = authenticate(snapshot, key);
    if (key !== undefined && !keyed) return refuse(problem('unauthorized', UNKNOWN_CALLER));
    const parsed = parseAuction(body.value);
    if ('faults' in parsed) return refuse(problem('invalid_request', 'The bid request has a fault.', parsed.faults));
    const publisher = publisherOf(snapshot, parsed.request, keyed, req);
    if (!publisher) return refuse(problem('unauthorized', UNKNOWN_CALLER));
    const { origins } = publisher;
    // Reading the origin of a page's address takes 2 µs.
    if (origins.size > 0 && !acceptsOrigin(origins, originOf(req, parsed.request)))
      return refuse(problem('origin_not_allowed', FOREIGN_ORIGIN));

    const auction = readAuction(options, snapshot, publisher, parsed.request);
    const request = toAdRequest(options, snapshot, publisher, auction.request, req, { ...auction, maxHoldMs: AUCTION_HOLD_MS });
    const answer = await (auction.test ? options.dryServeAd : serveAd)(snapshot, request);
    const disclosure = answer.trace ? disclosureTo(options, req, publisher) : 'public';
    const text = toBytes(writeAuction({ auction, answer, signals: request.bidContext.signals, base, disclosure }));
    sendWhole(res.writeHead(200, [...ANSWER_HEADERS, ...pageCorsList(req), 'Content-Length', String(text.length)]), text);
    observe.answered(answer, (performance.now() - started) / 1000);
  };
};

const ANSWER_HEADERS = ['Content-Type', 'application/json; charset=utf-8', 'Cache-Control', 'no-store'];

const UNKNOWN_CALLER =
  'X-API-Key must be the key of the publisher, or the request must name a publisher (site.publisher.id) that lists the web origins of its pages.';
const FOREIGN_ORIGIN = 'The publisher lists the web origins of its pages, and the origin of this page is not one of them.';

/**
 * The publisher of the key, which the request may name too. Stock Prebid.js calls without a key: then
 * only a publisher that lists the origins of its pages is accepted.
 */
const publisherOf = (snapshot: Snapshot, request: WireAuction, keyed: Publisher | undefined, req: Request): Publisher | undefined => {
  const named = publisherIdOf(request, req.params['publisher'] as string | undefined);
  if (keyed) return named === undefined || named === keyed.id ? keyed : undefined;
  const publisher = named === undefined ? undefined : snapshot.publishers.get(named);
  return publisher && publisher.origins.size > 0 ? publisher : undefined;
};

/** A server between the page and this service sends no Origin; it names the page. */
const originOf = (req: Request, request: WireAuction): string | undefined => {
  const { origin } = req.headers;
  if (origin !== undefined) return origin;
  const [page] = /^https?:\/\/[^/?#]+/i.exec(pageOf(request) ?? '') ?? [];
  return page === undefined ? undefined : normalOrigin(page);
};

/** Prebid.js compresses a body without saying so in a header, which would cost it a preflight. */
const encodingOf = (req: Request): string | undefined =>
  req.headers['content-encoding'] === undefined && /[?&]gzip=1(&|$)/.test(req.url) ? 'gzip' : undefined;
