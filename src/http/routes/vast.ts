import { withReports } from '../../bidders/openrtb/vast-markup.ts';
import { vastLinks } from '../../creative/vast/vast-ad.ts';
import type { RequestHandler } from 'express';
import { isVideo } from '../../catalog/model/entities.ts';
import { addressesOf, type AddressSettings } from '../../creative/absolute-address.ts';
import { fillMacros } from '../../creative/fill-macros.ts';
import { composeNoAd, composeVideo } from '../../creative/vast/compose-vast.ts';
import { LATEST_VAST, type VastVersion } from '../../creative/vast/vast-rules.ts';
import type { ServedAd } from '../../ledger/hit.ts';
import { pageCors } from '../answers/cors.ts';
import { sendPixel } from '../answers/pixel.ts';
import { problem, sendProblem } from '../problems/problem.ts';
import { localAddress } from '../request/local-address.ts';
import type { AdRouteOptions } from './ad.ts';
import { askedTag, serveTag, traceOfTag } from './asked-tag.ts';

export interface VastRouteOptions extends Omit<AdRouteOptions, 'writeAnswer'>, Pick<AddressSettings, 'assetsUrl' | 'creativeOrigin'> {
  readonly signToken: (ad: ServedAd) => string;
  /** The address of this service; '': that of the connection, in development; undefined: unknown in production. */
  readonly publicUrl: string | undefined;
  /** A player says that it got no ad. */
  readonly onNoAd: () => void;
}

/** By what tags say; VAST 4.2 is for players of every 4. */
const VERSIONS: Readonly<Record<string, VastVersion>> = {
  ...{ 2: '2.0', '2.0': '2.0', 3: '3.0', '3.0': '3.0' },
  ...{ 4: '4.2', '4.0': '4.2', '4.1': '4.2', '4.2': '4.2', '4.3': '4.2' },
};

/**
 * GET /vast: a video or audio ad for a player, as VAST. Without an ad the document has none, and the
 * status is 200 (VAST 4.2, 3.2.1). Players that follow the standard's chapter on CORS send credentials,
 * so the origin is named in the answer.
 */
export const vastRoute = (options: VastRouteOptions): RequestHandler =>
  async function answerVast(req, res) {
    const asked = askedTag(options, req);
    if ('status' in asked) return sendProblem(res, asked, pageCors(req));
    const base = options.publicUrl === '' ? localAddress(req) : options.publicUrl;
    if (base === undefined)
      return sendProblem(res, problem('unavailable', 'PUBLIC_URL is not set, and every address in VAST must be absolute.'), pageCors(req));
    const version = versionOf(asked.query);
    if (version === undefined) return sendProblem(res, UNKNOWN_VERSION, pageCors(req));
    const { request, answer } = await serveTag(options, asked, req, { formats: ['video', 'audio'], vast: version });
    const won = answer.filled[0]?.won;
    const content = won?.candidate.creative.content;
    let text: string;
    if (won && content && isVideo(content)) {
      const { creative } = won.candidate;
      const { ad } = won;
      const token = options.signToken(ad);
      const addresses = addressesOf({ ...options, publicUrl: base });
      const document = won.bid
        ? withReports(won.bid.adm, vastLinks(base, token))
        : composeVideo(creative, content, { version, base, token, tokenId: ad.tokenId }, addresses);
      text = fillMacros(document, { ...request.bidContext.signals, click: `${base}/click?t=${token}`, cacheBuster: ad.tokenId });
    } else text = composeNoAd(version, `${base}/vast/error?code=[ERRORCODE]`);
    const bytes = Buffer.from(text + traceComment(traceOfTag(options, answer, asked, req)));
    res
      .writeHead(200, {
        ...pageCors(req),
        'Cache-Control': 'no-store, no-cache, must-revalidate, private',
        'Content-Type': 'application/xml; charset=utf-8',
        'Content-Length': bytes.length,
        'X-Content-Type-Options': 'nosniff',
      })
      .end(bytes);
  };

/** GET /vast/error: a player that got no ad says so. Counted with the errors of ads, and answered with the pixel. */
export const vastErrorRoute = ({ onNoAd }: Pick<VastRouteOptions, 'onNoAd'>): RequestHandler =>
  function answerVastError(req, res) {
    if (req.method !== 'HEAD') onNoAd();
    sendPixel(res);
  };

/** undefined: one that is not written. A macro that the page did not fill counts as absent. */
const versionOf = (query: URLSearchParams): VastVersion | undefined => {
  const given = query.get('v') ?? '';
  return given === '' || /^\[.*\]$/.test(given) ? LATEST_VAST : Object.hasOwn(VERSIONS, given) ? VERSIONS[given] : undefined;
};

const UNKNOWN_VERSION = problem('invalid_request', 'The tag has a fault.', [
  { pointer: '/v', detail: `must be one of ${Object.keys(VERSIONS).join(', ')}` },
]);

/** After the document, where players do not look. A comment has no two hyphens in a row (XML 1.0, 2.5). */
const traceComment = (trace: string): string => (trace === '' ? '' : `<!-- {"debug":{"trace":${trace.replaceAll('-', '\\u002d')}}} -->`);
