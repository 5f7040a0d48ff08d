import type { RequestHandler } from 'express';
import { pageCors } from '../answers/cors.ts';
import { sendPixel } from '../answers/pixel.ts';
import type { WriteVast } from '../openrtb/write-vast.ts';
import { sendProblem } from '../problems/problem.ts';
import type { AdRouteOptions } from './ad.ts';
import { askedBreak, askedPlayer } from './asked-player.ts';
import { askedTag, serveTag, traceOfTag, type TagKind } from './asked-tag.ts';
import { sendXml } from './send-xml.ts';

export interface VastRouteOptions extends Omit<AdRouteOptions, 'writeAnswer'> {
  readonly writeVast: WriteVast;
  /** The address of this service; '': that of the connection, in development; undefined: unknown in production. */
  readonly publicUrl: string | undefined;
  /** A player says that it got no ad. */
  readonly onNoAd: () => void;
}

/**
 * GET /vast: a video or audio ad for a player, or the ads of a break, as VAST. Without an ad the document has none, and the
 * status is 200 (VAST 4.2, 3.2.1).
 */
export const vastRoute = (options: VastRouteOptions): RequestHandler =>
  async function answerVast(req, res) {
    const asked = askedTag(options, req);
    if ('status' in asked) return sendProblem(res, asked, pageCors(req));
    const player = askedPlayer(options.publicUrl, asked, req);
    if ('status' in player) return sendProblem(res, player, pageCors(req));
    const ads = askedBreak(player, asked);
    if ('status' in ads) return sendProblem(res, ads, pageCors(req));
    const { base, version } = player;
    const { request, answer } = await serveTag(options, asked, req, { formats: FORMATS, ...ads });
    const text = options.writeVast({ filled: answer.filled, version, base, signals: request.bidContext.signals });
    sendXml(req, res, text + traceComment(traceOfTag(options, answer, asked, req)));
  };

const FORMATS: TagKind['formats'] = ['video', 'audio'];

/** GET /vast/error: a player that got no ad says so. Counted with the errors of ads, and answered with the pixel. */
export const vastErrorRoute = ({ onNoAd }: Pick<VastRouteOptions, 'onNoAd'>): RequestHandler =>
  function answerVastError(req, res) {
    if (req.method !== 'HEAD') onNoAd();
    sendPixel(res);
  };

/** After the document, where players do not look. A comment has no two hyphens in a row (XML 1.0, 2.5). */
const traceComment = (trace: string): string => (trace === '' ? '' : `<!-- {"debug":{"trace":${trace.replaceAll('-', '\\u002d')}}} -->`);
