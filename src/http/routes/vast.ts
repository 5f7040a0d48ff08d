import type { RequestHandler } from 'express';
import { adInPod, withReports } from '../../bidders/openrtb/vast-markup.ts';
import { isVideo } from '../../catalog/model/entities.ts';
import type { VastVersion } from '../../catalog/model/video-rules.ts';
import type { PrivacySignals } from '../../context/consent/privacy-signals.ts';
import { addressesOf, type Addresses, type AddressSettings } from '../../creative/absolute-address.ts';
import { fillMacros } from '../../creative/fill-macros.ts';
import { composeAd, composeNoAd, composePod, composeVideo } from '../../creative/vast/compose-vast.ts';
import { vastLinks } from '../../creative/vast/vast-ad.ts';
import type { ServedAd } from '../../ledger/hit.ts';
import type { FilledImp } from '../../serving/serve-ad.ts';
import { pageCors } from '../answers/cors.ts';
import { sendPixel } from '../answers/pixel.ts';
import { sendProblem } from '../problems/problem.ts';
import type { AdRouteOptions } from './ad.ts';
import { askedBreak, askedPlayer } from './asked-player.ts';
import { askedTag, serveTag, traceOfTag } from './asked-tag.ts';
import { sendXml } from './send-xml.ts';

export interface VastRouteOptions extends Omit<AdRouteOptions, 'writeAnswer'>, Pick<AddressSettings, 'assetsUrl' | 'creativeOrigin'> {
  readonly signToken: (ad: ServedAd) => string;
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
    const { request, answer } = await serveTag(options, asked, req, { formats: ['video', 'audio'], ...ads });
    const addresses = addressesOf({ ...options, publicUrl: base });
    const writing = { ...options, base, version, addresses, signals: request.bidContext.signals };
    const [first, ...others] = answer.filled;
    const text =
      first === undefined
        ? composeNoAd(version, `${base}/vast/error?code=[ERRORCODE]`)
        : others.length === 0
          ? writeOne(first, writing)
          : composePod(
              version,
              answer.filled.map((filled, i) => writeInPod(filled, i + 1, writing)),
            );
    sendXml(req, res, text + traceComment(traceOfTag(options, answer, asked, req)));
  };

interface Writing extends Pick<VastRouteOptions, 'signToken'> {
  readonly base: string;
  readonly version: VastVersion;
  readonly addresses: Addresses;
  readonly signals: PrivacySignals;
}

/** A document with the ad. */
const writeOne = (filled: FilledImp, writing: Writing): string => writeAd(filled, writing, composeVideo, (vast) => vast);

/** An element for a document of several. */
const writeInPod = (filled: FilledImp, sequence: number, writing: Writing): string =>
  writeAd(
    filled,
    writing,
    (...of) => composeAd(...of, sequence),
    (vast) => adInPod(vast, sequence),
  );

const writeAd = (
  { won: { candidate, bid, ad } }: FilledImp,
  { signToken, base, version, addresses, signals }: Writing,
  compose: typeof composeVideo,
  place: (vast: string) => string,
): string => {
  const { creative } = candidate;
  const { content } = creative;
  // A tag of players takes no other formats.
  if (!isVideo(content)) return '';
  const token = signToken(ad);
  const text = bid
    ? place(withReports(bid.adm, vastLinks(base, token)))
    : compose(creative, content, { version, base, token, tokenId: ad.tokenId }, addresses);
  return fillMacros(text, { ...signals, click: `${base}/click?t=${token}`, cacheBuster: ad.tokenId });
};

/** GET /vast/error: a player that got no ad says so. Counted with the errors of ads, and answered with the pixel. */
export const vastErrorRoute = ({ onNoAd }: Pick<VastRouteOptions, 'onNoAd'>): RequestHandler =>
  function answerVastError(req, res) {
    if (req.method !== 'HEAD') onNoAd();
    sendPixel(res);
  };

/** After the document, where players do not look. A comment has no two hyphens in a row (XML 1.0, 2.5). */
const traceComment = (trace: string): string => (trace === '' ? '' : `<!-- {"debug":{"trace":${trace.replaceAll('-', '\\u002d')}}} -->`);
