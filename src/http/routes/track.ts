import type { Request, RequestHandler, Response } from 'express';
import { videoEventType } from '../../catalog/model/video-events.ts';
import type { Hit, HitKind } from '../../ledger/hit.ts';
import type { ScreenHit } from '../../tracking/invalid-traffic/screen-hit.ts';
import type { HitOutcome } from '../../tracking/record-hit.ts';
import type { Tokens } from '../../tracking/tokens.ts';
import { refusePage } from '../answers/cors.ts';
import { sendPixel } from '../answers/pixel.ts';
import { problem } from '../problems/problem.ts';
import { isPrefetch, pageOrigin } from '../request/hit-source.ts';
import type { RequestContext } from '../request/request-context.ts';

export interface TrackRouteOptions {
  readonly tokens: Tokens;
  readonly recordHit: (hit: Hit) => Promise<HitOutcome>;
  readonly requestContext: RequestContext;
  readonly screenHit: ScreenHit;
  readonly allowedEvents: readonly string[];
  /** The click destination of this creative; without one, a click is answered with the pixel. */
  readonly clickUrlOf: (creativeId: number) => string | null | undefined;
  /** The clock of the publisher's counters, epoch ms. */
  readonly now: (publisherId: number) => number;
  readonly observe: {
    readonly recorded: (hit: Hit, outcome: HitOutcome) => void;
    readonly refused: (reason: 'token' | 'event_type') => void;
  };
}

/** GET /impression: counts and bills a reservation. */
export const impressionRoute = (options: TrackRouteOptions): RequestHandler => track(options, 'impression');

/**
 * GET /click: counts, then redirects to the destination that is stored with the creative, never to
 * one from the query.
 */
export const clickRoute = (options: TrackRouteOptions): RequestHandler => track(options, 'click');

/** GET /event: the type is checked first, then the token. */
export const eventRoute = (options: TrackRouteOptions): RequestHandler => track(options, 'event');

const track =
  (options: TrackRouteOptions, kind: HitKind): RequestHandler =>
  async (req, res) => {
    // HEAD requests are never counted.
    if (req.method === 'HEAD') return sendPixel(res);
    const eventType = kind === 'event' ? eventTypeOf(options, req) : '';
    if (eventType === undefined) {
      options.observe.refused('event_type');
      return refusePage(
        res,
        problem('unknown_event_type', `type must be one of: ${options.allowedEvents.join(', ')}, or an event of VAST.`),
      );
    }
    const ad = options.tokens.verify(queryValue(req, 't') ?? '');
    if (!ad) return refuseToken(options, res);

    const { ip, country, region, device, visitor } = options.requestContext(req);
    const sender = { visitor, ip, origin: pageOrigin(req), prefetch: isPrefetch(req), hidden: kind === 'impression' && saysHidden(req) };
    const { invalidReason, signals } = options.screenHit(ad, sender);
    const place = { country, region: region ?? undefined, device, browser: visitor.browser ?? undefined };
    const hit: Hit = { ad, kind, eventType, invalidReason, signals, atMs: options.now(ad.publisherId), ...place };
    const outcome = await options.recordHit(hit);
    options.observe.recorded(hit, outcome);
    if (outcome === 'expired') return refuseToken(options, res);

    const destination = kind === 'click' ? options.clickUrlOf(ad.creativeId) : undefined;
    if (destination) return redirect(res, destination);
    if (outcome === 'unavailable') return refusePage(res, problem('unavailable', 'The hit could not be stored. Send it again later.'));
    sendPixel(res);
  };

/** One of the allowlist, or what players of videos report; undefined: neither. */
const eventTypeOf = ({ allowedEvents }: TrackRouteOptions, req: Request): string | undefined => {
  const type = queryValue(req, 'type') ?? '';
  return allowedEvents.includes(type) ? type : videoEventType(type, () => queryValue(req, 'code'));
};

/** A page that shows ads without the SDK says so of an ad that could not be seen. The SDK sends no such impression. */
const saysHidden = (req: Request): boolean => req.originalUrl.includes('&hidden=') && queryValue(req, 'hidden') === '1';

const refuseToken = ({ observe }: TrackRouteOptions, res: Response): void => {
  observe.refused('token');
  refusePage(res, problem('invalid_token', 't must be an unexpired tracking token.'));
};

/** A click is redirected even when it could not be counted. */
const redirect = (res: Response, destination: string): void => {
  res.writeHead(302, { ...REDIRECT_HEADERS, Location: destination }).end();
};

const REDIRECT_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Cache-Control': 'no-store, no-cache, must-revalidate, private',
  'Content-Length': 0,
  'Referrer-Policy': 'no-referrer',
};

/**
 * The value of a query parameter that must occur once: undefined when it is missing or repeated.
 */
const queryValue = (req: Request, name: string): string | undefined => {
  const { originalUrl } = req;
  const at = originalUrl.indexOf('?');
  if (at < 0) return undefined;
  const query = originalUrl.slice(at + 1);
  // A tracking URL as issued; parsing it in full takes ten times as long.
  if (query.startsWith(`${name}=`) && !/[&%+#]/.test(query)) return query.slice(name.length + 1);
  const values = new URLSearchParams(query).getAll(name);
  return values.length === 1 ? values[0] : undefined;
};
