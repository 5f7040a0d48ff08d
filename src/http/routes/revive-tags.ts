import type { Request, RequestHandler, Response } from 'express';
import type { Placement } from '../../catalog/model/entities.ts';
import { acceptsOrigin } from '../../catalog/model/origins.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { pageCors } from '../answers/cors.ts';
import { sendPixel } from '../answers/pixel.ts';
import { sendJsonText } from '../answers/send-json.ts';
import { readReviveTag, MAX_ZONES, type ReviveTag } from '../openrtb/read-revive-tag.ts';
import { readTag } from '../openrtb/read-tag.ts';
import { writeTagBody, writeTagFrame, type TagFrame } from '../openrtb/write-tag.ts';
import { notFound } from '../problems/error-handler.ts';
import { problem, sendProblem, type Problem } from '../problems/problem.ts';
import { pageOrigin } from '../request/hit-source.ts';
import { FOREIGN_ORIGIN, queryOf, serveTag, type AskedTag } from './asked-tag.ts';
import { frameOf, IMAGE_HOLD_MS, imageOf, NOT_STORED, recordTagHit, redirectTag, sendFrame, type TagRouteOptions } from './tag.ts';
import { clickRoute, impressionRoute } from './track.ts';

export interface ReviveTagOptions extends TagRouteOptions {
  /** The script of asynchronous tags. */
  readonly script: () => Promise<string>;
}

/** Where Revive has its delivery scripts: below the root of its host, or below www of it. */
export const REVIVE_FOLDERS = ['/www/delivery', '/delivery'];
/** Of Revive's beacon and click. */
const PATHS = { click: `${REVIVE_FOLDERS[0]}/ck.php`, impression: `${REVIVE_FOLDERS[0]}/lg.php` };
const SCRIPT_SECONDS = 3_600;

/** Answers of the delivery scripts of Revive Adserver, for placements that have the number of a zone. */
export const reviveTagRoutes = (options: ReviveTagOptions): Readonly<Record<string, RequestHandler>> => {
  const zones = createZones();

  /** A handler, which does not exist while no placement has a zone. */
  const whereImported =
    (handler: (req: Request, res: Response, snapshot: Snapshot) => Promise<void>): RequestHandler =>
    async (req, res, next) => {
      const snapshot = options.currentSnapshot();
      if (!snapshot) return sendProblem(res, problem('unavailable', 'The campaign data has not been loaded yet.'), pageCors(req));
      if (zones(snapshot).size === 0) return void notFound(req, res, next);
      return handler(req, res, snapshot);
    };

  const askedZone = (req: Request, snapshot: Snapshot, tag: ReviveTag, zoneId: number): AskedTag | Problem | undefined => {
    const placement = zones(snapshot).get(zoneId);
    const publisher = placement?.publisherId == null ? undefined : snapshot.publishers.get(placement.publisherId);
    if (!placement || !publisher) return undefined;
    if (!acceptsOrigin(publisher.origins, pageOrigin(req) ?? undefined)) return problem('origin_not_allowed', FOREIGN_ORIGIN);
    const query = tag.toTag(placement.id);
    const read = readTag(query, options.dimensions);
    return 'faults' in read ? undefined : { snapshot, publisher, query, tag: read };
  };

  const asyncjs = whereImported(async (_req, res) => {
    const script = await options.script();
    const headers = { 'Content-Type': 'text/javascript; charset=utf-8', 'Cache-Control': `public, max-age=${SCRIPT_SECONDS}` };
    res
      .writeHead(200, { ...headers, 'Cross-Origin-Resource-Policy': 'cross-origin', 'Content-Length': Buffer.byteLength(script) })
      .end(script);
  });

  /** All zones of a page, as JSON by the ids of their places. */
  const asyncspc = whereImported(async (req, res, snapshot) => {
    const tag = readReviveTag(queryOf(req));
    if (!tag) return sendProblem(res, problem('invalid_request', NO_ZONE), pageCors(req));
    const shown = new Set<number>();
    let remembers = true;
    const answers: Record<string, object> = {};
    for (const [place, zoneId] of tag.zoneIds.slice(0, MAX_ZONES).entries()) {
      if (zoneId === 0) continue;
      const asked = askedZone(req, snapshot, tag, zoneId);
      if (asked && 'status' in asked) return sendProblem(res, asked, pageCors(req));
      const found = asked && (await frameOf(options, asked, req, PATHS));
      remembers &&= found?.mayRemember ?? true;
      const filled = found?.frame.filled;
      const isRepeated = tag.blocksRepeats && filled !== undefined && shown.has(filled.won.ad.creativeId);
      if (filled) shown.add(filled.won.ad.creativeId);
      const html = found && !isRepeated ? writeTagBody(found.frame) : '';
      const { width = 0, height = 0 } = html === '' ? {} : sizeOf(snapshot, found);
      answers[tag.prefix + place] = { html, width, height, iframeFriendly: html !== '' };
    }
    sendJsonText(res, 200, JSON.stringify(answers), {
      ...NOT_STORED,
      ...pageCors(req),
      'Access-Control-Expose-Headers': 'May-Remember',
      'May-Remember': remembers ? '1' : '0',
    });
  });

  const sizeOf = (
    snapshot: Snapshot,
    found: { readonly frame: TagFrame } | undefined,
  ): { readonly width?: number; readonly height?: number } => {
    const placement = snapshot.placements.get(found?.frame.filled?.imp.placementId ?? '');
    // A text ad is as large as its text.
    return !placement || placement.width * placement.height <= 1 ? {} : { width: placement.width, height: placement.height };
  };

  const one =
    (send: (req: Request, res: Response, asked: AskedTag) => Promise<void>) =>
    (isImage: boolean): RequestHandler =>
      whereImported(async (req, res, snapshot) => {
        const tag = readReviveTag(queryOf(req));
        const asked = tag && askedZone(req, snapshot, tag, tag.zoneIds[0] ?? 0);
        if (asked && 'status' in asked) return sendProblem(res, asked);
        if (asked) return send(req, res, asked);
        if (isImage) return sendPixel(res);
        return sendProblem(res, problem('invalid_request', NO_ZONE));
      });

  /** The document of a frame. */
  const afr = one(async (req, res, asked) => {
    const { frame } = await frameOf(options, asked, req, PATHS);
    sendFrame(res, writeTagFrame(frame), asked.publisher.origins);
  });

  /** A script that writes a frame where it is. */
  const ajs = one(async (req, res, asked) => {
    const found = await frameOf(options, asked, req, PATHS);
    const html = found.frame.filled ? writeTagFrame(found.frame) : '';
    const { width = '100%', height = 100 } = sizeOf(asked.snapshot, found);
    const script = html && `document.write(${inScript(frameElement(html, width, height))});`;
    const headers = { ...NOT_STORED, 'Content-Type': 'text/javascript; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
    res
      .writeHead(200, { ...headers, 'Cross-Origin-Resource-Policy': 'cross-origin', 'Content-Length': Buffer.byteLength(script) })
      .end(script);
  });

  /** An image, which counts its impression. */
  const avw = one(async (req, res, asked) => {
    if (req.method === 'HEAD') return sendPixel(res);
    const { answer } = await serveTag(options, asked, req, { formats: ['banner'], maxHoldMs: IMAGE_HOLD_MS });
    const won = answer.filled[0]?.won;
    const image = won && !won.bid ? imageOf(options, asked.snapshot, won.candidate.creative.id) : undefined;
    if (!won || image === undefined) return sendPixel(res);
    await recordTagHit(options, won.ad, 'impression', req);
    redirectTag(res, image);
  });

  /** A click without a token is that on an image tag: its zone leads to the publisher's site, uncounted. */
  const click = clickRoute(options.track);
  const ck = whereImported(async (req, res, snapshot) => {
    const query = queryOf(req);
    const placement = query.has('t') ? undefined : zones(snapshot).get(Number(query.get('zoneid')));
    const publisher = placement?.publisherId == null ? undefined : snapshot.publishers.get(placement.publisherId);
    if (publisher) return redirectTag(res, `https://${publisher.domain}/`);
    await click(req, res, () => undefined);
  });
  const impression = impressionRoute(options.track);
  const lg = whereImported(async (req, res) => void (await impression(req, res, () => undefined)));

  return {
    'asyncjs.php': asyncjs,
    'asyncspc.php': asyncspc,
    'afr.php': afr(false),
    'ajs.php': ajs(false),
    'avw.php': avw(true),
    'lg.php': lg,
    'ck.php': ck,
    // Revive 6 has this in image tags, and in ads that pages and mails still have from before.
    'cl.php': ck,
  };
};

const NO_ZONE = 'The tag must name the zone of a placement: zoneid, or zones with a prefix of letters, digits, _ and -.';

const frameElement = (html: string, width: number | string, height: number): string =>
  `<iframe title="Advertisement" sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox" scrolling="no" width="${width}" height="${height}"` +
  ` style="border:0" srcdoc="${html.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe>`;

/** A text in a script, which no text of it ends. */
const inScript = (text: string): string =>
  JSON.stringify(text).replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');

/** Placements by the numbers of their zones, found once for each load of the catalog. */
const createZones = (): ((snapshot: Snapshot) => ReadonlyMap<number, Placement>) => {
  let of: Snapshot['placements'] | undefined;
  let zones: ReadonlyMap<number, Placement> = new Map();
  return ({ placements }) => {
    if (of !== placements) {
      of = placements;
      const found = new Map<number, Placement>();
      for (const placement of placements.values())
        if (placement.reviveZoneId !== null && !placement.archived) found.set(placement.reviveZoneId, placement);
      zones = found;
    }
    return zones;
  };
};
