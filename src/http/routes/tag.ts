import type { Request, RequestHandler, Response } from 'express';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { absoluteAddress, type Addresses } from '../../creative/absolute-address.ts';
import type { Hit, HitKind, ServedAd } from '../../ledger/hit.ts';
import type { ShownAds } from '../../tracking/shown-ads.ts';
import { sendPixel } from '../answers/pixel.ts';
import { sendJsonText } from '../answers/send-json.ts';
import { asksForTrace } from '../openrtb/to-ad-request.ts';
import { writeTagFrame, type TagFrame } from '../openrtb/write-tag.ts';
import { sendProblem } from '../problems/problem.ts';
import { isPrefetch, pageOrigin } from '../request/hit-source.ts';
import type { AdRouteOptions } from './ad.ts';
import { askedTag, serveTag, traceOfTag, type AskedTag } from './asked-tag.ts';
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

/** An image counts its impression in the same request. */
export const IMAGE_HOLD_MS = 5_000;

/** Of an answer that no cache may store. */
export const NOT_STORED = { 'Cache-Control': 'no-store, no-cache, must-revalidate, private', 'Referrer-Policy': 'no-referrer' } as const;

/**
 * GET /tag/iframe: an html or banner ad as a document. Its content runs on an opaque origin whatever
 * the page's frame allows: the answer says `sandbox`.
 */
export const iframeTagRoute = (options: TagRouteOptions): RequestHandler =>
  async function answerIframeTag(req, res) {
    const asked = askedTag(options, req);
    if ('status' in asked) return sendProblem(res, asked);
    const { frame } = await frameOf(options, asked, req, { click: '/click', impression: '/impression' });
    sendFrame(res, writeTagFrame(frame), asked.publisher.origins);
  };

/** An html or banner ad of a tag as markup. @param paths that count its click and its impression */
export const frameOf = async (
  options: TagRouteOptions,
  asked: AskedTag,
  req: Request,
  paths: { readonly click: string; readonly impression: string },
): Promise<{ readonly frame: TagFrame; readonly mayRemember: boolean }> => {
  const { request, answer } = await serveTag(options, asked, req, { formats: ['html', 'banner'] });
  const [filled] = answer.filled;
  const token = filled ? options.signToken(filled.won.ad) : '';
  return {
    mayRemember: answer.mayRemember,
    frame: {
      filled,
      click: `${options.publicUrl}${paths.click}?t=${token}`,
      impression: `${options.publicUrl}${paths.impression}?t=${token}`,
      signals: request.bidContext.signals,
      addresses: options.addresses,
      trace: traceOfTag(options, answer, asked, req),
    },
  };
};

/** Sends the document of a frame, which runs on an opaque origin. @param origins of the pages that may show it; none: any */
export const sendFrame = (res: Response, html: string, origins: ReadonlySet<string>): void => {
  const policy = 'sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox';
  res
    .writeHead(200, {
      ...NOT_STORED,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Length': Buffer.byteLength(html),
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': origins.size > 0 ? `${policy}; frame-ancestors ${[...origins].join(' ')}` : policy,
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
    const asked = askedTag(options, req);
    if ('status' in asked) return sendProblem(res, asked);
    const { snapshot, publisher } = asked;
    const name = nameOf(options, asked);
    const known = name === '' || asksForTrace(req) ? undefined : await options.shownAds.find(publisher.id, name);
    const before = known?.token === undefined ? undefined : options.track.tokens.verify(known.token);
    const image = before && imageOf(options, snapshot, before.creativeId);
    if (image !== undefined) {
      await recordTagHit(options, before as ServedAd, 'impression', req);
      return redirectTag(res, image);
    }
    const { answer } = await serveTag(options, asked, req, { formats: ['banner'], maxHoldMs: IMAGE_HOLD_MS });
    if (asksForTrace(req)) return sendJsonText(res, 200, `{"debug":{"trace":${traceOfTag(options, answer, asked, req)}}}`);
    const won = answer.filled[0]?.won;
    // A bid is markup, not an image.
    const chosen = won && !won.bid ? imageOf(options, snapshot, won.candidate.creative.id) : undefined;
    if (!won || chosen === undefined) return sendPixel(res);
    const { ad } = won;
    if (name !== '') {
      const shown = { creativeId: ad.creativeId, token: options.signToken(ad) };
      await options.shownAds.remember(publisher.id, name, shown, ad.tokenExpS * 1000 - ad.servedAtMs);
    }
    await recordTagHit(options, ad, 'impression', req);
    redirectTag(res, chosen);
  };

/**
 * GET /tag/click: counts a click on the ad that the image tag showed to this recipient, and
 * redirects to its destination; without one, to the publisher's site.
 */
export const clickTagRoute = (options: TagRouteOptions): RequestHandler =>
  async function answerClickTag(req, res) {
    const asked = askedTag(options, req);
    if ('status' in asked) return sendProblem(res, asked);
    const { snapshot, publisher } = asked;
    const name = nameOf(options, asked);
    const shown = name === '' ? undefined : await options.shownAds.find(publisher.id, name);
    const ad = shown?.token === undefined ? undefined : options.track.tokens.verify(shown.token);
    if (ad && req.method !== 'HEAD') await recordTagHit(options, ad, 'click', req);
    const destination = shown && snapshot.creatives.get(shown.creativeId)?.clickUrl;
    redirectTag(res, destination ?? `https://${publisher.domain}/`);
  };

/** One decision for each placement of a mail. */
const nameOf = ({ recipientHash }: TagRouteOptions, { snapshot, publisher, tag: { recipient, placementId } }: AskedTag): string =>
  recipient === '' ? '' : recipientHash(snapshot, publisher.id, `tag\n${placementId}\n${recipient}`);

export const imageOf = ({ addresses }: TagRouteOptions, { creatives }: Snapshot, creativeId: number): string | undefined => {
  const content = creatives.get(creativeId)?.content;
  return content?.format === 'banner' ? absoluteAddress(content.banner.image, addresses) : undefined;
};

/** Records a hit of a tag as the tracking URLs do. A hit that cannot be stored is lost: no client sends an image again. */
export const recordTagHit = async ({ track }: TagRouteOptions, ad: ServedAd, kind: HitKind, req: Request): Promise<void> => {
  const { ip, country, region, device, visitor } = track.requestContext(req);
  const screened = track.screenHit(ad, { visitor, ip, origin: pageOrigin(req), prefetch: isPrefetch(req), hidden: false });
  const place = { country, region: region ?? undefined, device, browser: visitor.browser ?? undefined };
  const hit: Hit = { ad, kind, eventType: '', ...screened, atMs: track.now(ad.publisherId), ...place };
  track.observe.recorded(hit, await track.recordHit(hit));
};

export const redirectTag = (res: Response, to: string): void => {
  res.writeHead(302, { ...NOT_STORED, 'Cross-Origin-Resource-Policy': 'cross-origin', 'Content-Length': 0, Location: to }).end();
};
