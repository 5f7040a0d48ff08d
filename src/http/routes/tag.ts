import type { Request, RequestHandler, Response } from 'express';
import type { Publisher } from '../../catalog/model/entities.ts';
import type { CreativeFormat } from '../../catalog/model/choices.ts';
import { acceptsOrigin } from '../../catalog/model/origins.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { absoluteAddress, type Addresses } from '../../creative/absolute-address.ts';
import type { Hit, HitKind, ServedAd } from '../../ledger/hit.ts';
import type { AdRequest } from '../../serving/ad-request.ts';
import type { AdAnswer } from '../../serving/serve-ad.ts';
import type { ShownAds } from '../../tracking/shown-ads.ts';
import { sendPixel } from '../answers/pixel.ts';
import { sendJsonText } from '../answers/send-json.ts';
import { readTag, tagTerms, type ReadTag } from '../openrtb/read-tag.ts';
import { asksForTrace, toAdRequest } from '../openrtb/to-ad-request.ts';
import { writeTagFrame } from '../openrtb/write-tag.ts';
import { writeTrace } from '../openrtb/write-trace.ts';
import { problem, sendProblem, type Problem } from '../problems/problem.ts';
import { isPrefetch, pageOrigin } from '../request/hit-source.ts';
import { disclosureTo, type AdRouteOptions } from './ad.ts';
import type { TrackRouteOptions } from './track.ts';

export interface TagRouteOptions extends Omit<AdRouteOptions, 'writeAnswer'> {
  readonly track: TrackRouteOptions;
  readonly signToken: (ad: ServedAd) => string;
  readonly shownAds: ShownAds;
  /** A keyed hash of a recipient, the same on every replica. */
  readonly recipientHash: (snapshot: Snapshot, publisherId: number, recipient: string) => string;
  /** '': addresses are relative to the frame. */
  readonly publicUrl: string;
  /** Of the paths in creatives. */
  readonly addresses: Addresses;
}

/** What a tag asks for, checked. */
interface Asked {
  readonly snapshot: Snapshot;
  readonly publisher: Publisher;
  readonly tag: ReadTag;
}

/** An image counts its impression in the same request. */
const IMAGE_HOLD_MS = 5_000;

const NOT_STORED = { 'Cache-Control': 'no-store, no-cache, must-revalidate, private', 'Referrer-Policy': 'no-referrer' } as const;

/**
 * GET /tag/iframe: an html or banner ad as a document. Its content runs on an opaque origin whatever
 * the page's frame allows: the answer says `sandbox`.
 */
export const iframeTagRoute = (options: TagRouteOptions): RequestHandler =>
  async function answerIframeTag(req, res) {
    const asked = askedOf(options, req);
    if ('status' in asked) return sendProblem(res, asked);
    const { request, answer } = await serve(options, asked, req, ['html', 'banner']);
    const [filled] = answer.filled;
    const { origins } = asked.publisher;
    const html = writeTagFrame({
      filled,
      token: filled ? options.signToken(filled.won.ad) : '',
      signals: request.bidContext.signals,
      base: options.publicUrl,
      addresses: options.addresses,
      trace: traceOf(options, answer, asked, req),
    });
    res
      .writeHead(200, {
        ...NOT_STORED,
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Length': Buffer.byteLength(html),
        'X-Content-Type-Options': 'nosniff',
        'Content-Security-Policy':
          'sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox' +
          (origins.size > 0 ? `; frame-ancestors ${[...origins].join(' ')}` : ''),
      })
      .end(html);
  };

/**
 * GET /tag/image: redirects to the image of a banner, and counts its impression. The same recipient
 * gets the same ad while its token lives. A transparent pixel without an ad, and for HEAD, which
 * counts nothing.
 */
export const imageTagRoute = (options: TagRouteOptions): RequestHandler =>
  async function answerImageTag(req, res) {
    if (req.method === 'HEAD') return sendPixel(res);
    const asked = askedOf(options, req);
    if ('status' in asked) return sendProblem(res, asked);
    const { snapshot, publisher } = asked;
    const name = nameOf(options, asked);
    const known = name === '' || asksForTrace(req) ? undefined : await options.shownAds.find(publisher.id, name);
    const before = known?.token === undefined ? undefined : options.track.tokens.verify(known.token);
    const image = before && imageOf(options, snapshot, before.creativeId);
    if (image !== undefined) {
      await record(options, before as ServedAd, 'impression', req);
      return redirect(res, image);
    }
    const { answer } = await serve(options, asked, req, ['banner']);
    if (asksForTrace(req)) return sendJsonText(res, 200, `{"debug":{"trace":${traceOf(options, answer, asked, req)}}}`);
    const won = answer.filled[0]?.won;
    // A bid is markup, not an image.
    const chosen = won && !won.bid ? imageOf(options, snapshot, won.candidate.creative.id) : undefined;
    if (!won || chosen === undefined) return sendPixel(res);
    const { ad } = won;
    if (name !== '') {
      const shown = { creativeId: ad.creativeId, token: options.signToken(ad) };
      await options.shownAds.remember(publisher.id, name, shown, ad.tokenExpS * 1000 - ad.servedAtMs);
    }
    await record(options, ad, 'impression', req);
    redirect(res, chosen);
  };

/**
 * GET /tag/click: counts a click on the ad that the image tag showed to this recipient, and
 * redirects to its destination; without one, to the publisher's site.
 */
export const clickTagRoute = (options: TagRouteOptions): RequestHandler =>
  async function answerClickTag(req, res) {
    const asked = askedOf(options, req);
    if ('status' in asked) return sendProblem(res, asked);
    const { snapshot, publisher } = asked;
    const name = nameOf(options, asked);
    const shown = name === '' ? undefined : await options.shownAds.find(publisher.id, name);
    const ad = shown?.token === undefined ? undefined : options.track.tokens.verify(shown.token);
    if (ad && req.method !== 'HEAD') await record(options, ad, 'click', req);
    const destination = shown && snapshot.creatives.get(shown.creativeId)?.clickUrl;
    redirect(res, destination ?? `https://${publisher.domain}/`);
  };

const queryOf = ({ url }: Request): URLSearchParams => new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

/**
 * The publisher of `key`, or of `publisher` when it lists its origins, as for auctions. A page that
 * names itself must be one of them; mail programs name none.
 */
const askedOf = ({ currentSnapshot, authenticate, dimensions }: TagRouteOptions, req: Request): Asked | Problem => {
  const snapshot = currentSnapshot();
  if (!snapshot) return problem('unavailable', 'The campaign data has not been loaded yet.');
  const query = queryOf(req);
  const key = query.get('key');
  const named = key === null ? snapshot.publishers.get(Number(query.get('publisher'))) : undefined;
  const publisher = key === null ? (named && named.origins.size > 0 ? named : undefined) : authenticate(snapshot, key);
  if (!publisher) return problem('unauthorized', UNKNOWN_CALLER);
  if (!acceptsOrigin(publisher.origins, pageOrigin(req) ?? undefined)) return problem('origin_not_allowed', FOREIGN_ORIGIN);
  const tag = readTag(query, dimensions);
  return 'faults' in tag ? problem('invalid_request', 'The tag has a fault.', tag.faults) : { snapshot, publisher, tag };
};

const UNKNOWN_CALLER = 'The tag must have the key of the publisher, or the id of a publisher that lists the web origins of its pages.';
const FOREIGN_ORIGIN = 'The publisher lists the web origins of its pages, and the origin of this page is not one of them.';

const serve = async (
  options: TagRouteOptions,
  { snapshot, publisher, tag }: Asked,
  req: Request,
  formats: readonly CreativeFormat[],
): Promise<{ readonly request: AdRequest; readonly answer: AdAnswer }> => {
  const started = performance.now();
  options.observe.requested();
  const holds = formats.includes('html') ? undefined : IMAGE_HOLD_MS;
  const request = toAdRequest(options, snapshot, publisher, tag.toRequest(publisher.id), req, {
    maxHoldMs: holds,
    maxBidderMs: undefined,
    terms: tagTerms(formats),
  });
  const answer = await options.serveAd(snapshot, request);
  options.observe.answered(answer, (performance.now() - started) / 1000);
  return { request, answer };
};

const traceOf = (options: TagRouteOptions, { trace }: AdAnswer, { publisher }: Asked, req: Request): string =>
  trace ? writeTrace(trace, disclosureTo(options, req, publisher)) : '';

/** One decision for each placement of a mail. */
const nameOf = ({ recipientHash }: TagRouteOptions, { snapshot, publisher, tag: { recipient, placementId } }: Asked): string =>
  recipient === '' ? '' : recipientHash(snapshot, publisher.id, `tag\n${placementId}\n${recipient}`);

const imageOf = ({ addresses }: TagRouteOptions, { creatives }: Snapshot, creativeId: number): string | undefined => {
  const content = creatives.get(creativeId)?.content;
  return content?.format === 'banner' ? absoluteAddress(content.banner.image, addresses) : undefined;
};

/** Records a hit of a tag as the tracking URLs do. A hit that cannot be stored is lost: no client sends an image again. */
const record = async ({ track }: TagRouteOptions, ad: ServedAd, kind: HitKind, req: Request): Promise<void> => {
  const { ip, country, region, device, visitor } = track.requestContext(req);
  const screened = track.screenHit(ad, { visitor, ip, origin: pageOrigin(req), prefetch: isPrefetch(req), hidden: false });
  const place = { country, region: region ?? undefined, device, browser: visitor.browser ?? undefined };
  const hit: Hit = { ad, kind, eventType: '', ...screened, atMs: track.now(ad.publisherId), ...place };
  track.observe.recorded(hit, await track.recordHit(hit));
};

const redirect = (res: Response, to: string): void => {
  res.writeHead(302, { ...NOT_STORED, 'Cross-Origin-Resource-Policy': 'cross-origin', 'Content-Length': 0, Location: to }).end();
};
