import type { Request } from 'express';
import type { ZoneOffset } from '../../base/zone-offset.ts';
import type { BlockList } from '../../catalog/model/block-list.ts';
import type { Publisher } from '../../catalog/model/entities.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import type { DecideConsent } from '../../context/consent/decide-consent.ts';
import { readSignals } from '../../context/consent/privacy-signals.ts';
import type { SealedVisitor, VisitorSeal } from '../../context/visitor-seal.ts';
import type { AdSize, AuctionTerms } from '../../decision/ad-query.ts';
import type { AdRequest, RequestedImp } from '../../serving/ad-request.ts';
import type { DimensionSchema } from '../../targeting/dimension-schema.ts';
import { targetingQuery } from '../../targeting/targeting-query.ts';
import type { SupplyChain } from '../../bidders/openrtb/supply-chain.ts';
import { readDsaRequest } from '../../bidders/openrtb/dsa.ts';
import { at } from './auction-schema.ts';
import { createOfferedBy, hasSegments } from './offered-by.ts';
import type { WireAdRequest, WireImp, WireSize } from './ad-request-schema.ts';
import { pageOrigin } from '../request/hit-source.ts';
import type { Asker, RequestContext } from '../request/request-context.ts';

export interface ToAdRequestOptions {
  readonly dimensions: DimensionSchema;
  readonly requestContext: RequestContext;
  readonly decideConsent: DecideConsent;
  readonly userHash: (snapshot: Snapshot, publisherId: number, userId: string) => string;
  /** Keyed by a key that only this process has. */
  readonly sessionHash: (publisherId: number, userId: string) => string;
  readonly sealVisitor: VisitorSeal['seal'];
  /** Whose holds the request takes (AdRequest.client). */
  readonly clientOf: (snapshot: Snapshot, req: Request) => string | undefined;
  readonly zoneOffset: ZoneOffset;
  readonly debugTrace: boolean;
  /** The clock of the publisher's counters, epoch ms. */
  readonly now: (publisherId?: number) => number;
}

/** What an auction adds to an ad request. */
export interface AuctionAdditions {
  /** undefined: the life of the token. */
  readonly maxHoldMs: number | undefined;
  /** The time that it leaves for bidders; undefined: it says nothing. */
  readonly maxBidderMs?: number | undefined;
  readonly blocked?: BlockList | undefined;
  readonly schain?: SupplyChain | undefined;
  /** Whether what is shown will not be billed (OpenRTB `test`). */
  readonly test?: boolean | undefined;
  /** By the id of the impression. */
  readonly terms: ReadonlyMap<string, AuctionTerms>;
}

/**
 * Converts a validated ad request to the domain's: with its context, the user as a hash and
 * key-values as pairs.
 */
export const toAdRequest = (
  {
    dimensions,
    requestContext,
    decideConsent,
    userHash,
    sessionHash,
    sealVisitor,
    clientOf,
    zoneOffset,
    debugTrace,
    now,
  }: ToAdRequestOptions,
  snapshot: Snapshot,
  publisher: Publisher,
  wire: WireAdRequest,
  req: Request,
  auction?: AuctionAdditions,
): AdRequest => {
  const context = requestContext(req, wire.device);
  const signals = readSignals({
    regs: wire.regs,
    user: wire.user,
    device: wire.device,
    secGpc: req.headers['sec-gpc'] as string | undefined,
  });
  const consent = decideConsent(signals, context.country, publisher.privacy);
  const atMs = now(publisher.id);
  const offsetMs = (ms: number): number => zoneOffset(publisher.timeZone, ms);
  const offeredBy = createOfferedBy({ wire, req, visitor: context.visitor, profile: consent.profile, atMs, offsetMs });
  const userId = wire.user.id;
  const mayRemember = consent.remember === null && userId !== undefined;
  const keepsSession = consent.remember !== null && userId !== undefined && publisher.privacy.capsWithoutUserId === 'session';
  const hash = mayRemember ? userHash(snapshot, publisher.id, userId) : null;
  return {
    id: wire.id,
    publisher,
    imps: wire.imp.map((imp) => {
      const { width, height, otherSizes } = sizesOf(imp);
      const kv = imp.ext?.kv;
      // Named one by one: rest and spread copy an object each.
      return {
        impId: imp.id,
        placementId: imp.tagid,
        width,
        height,
        otherSizes,
        targeting: kv && targetingQuery(dimensions, context, { ...wire.ext.kv, ...kv }, offeredBy),
        terms: auction?.terms.get(imp.id),
      };
    }),
    query: {
      targeting: targetingQuery(dimensions, context, wire.ext.kv, offeredBy),
      atMs,
      mayRemember: mayRemember || keepsSession,
    },
    userHash: hash,
    sessionUser: keepsSession ? sessionHash(publisher.id, userId) : null,
    consent,
    pageView: wire.ext.page_view,
    pagePlacements: (wire.ext.page_view === undefined ? undefined : wire.ext.page_placements) ?? NO_PLACEMENTS,
    hasSegments: hasSegments(wire),
    client: clientOf(snapshot, req),
    seal: sealVisitor(snapshot.userHashKey, sealedVisitor(context, wire, req), hash),
    visitor: { country: context.country, device: context.device, browser: consent.measure === null ? context.visitor.browser : null },
    bidContext: {
      requestId: wire.id,
      publisher,
      userHash: hash ?? '',
      userAgent: context.userAgent,
      ip: context.ip,
      country: context.country,
      device: context.device,
      pageUrl: typeof wire.site?.page === 'string' ? wire.site.page : null,
      signals,
      bidders: snapshot.bidders,
      shareWith: consent.shareWith,
      dsa: readDsaRequest(at(wire.regs, 'ext', 'dsa')),
      blocked: auction?.blocked,
      schain: auction?.schain,
      test: auction?.test ?? false,
      maxMs: auction?.maxBidderMs,
    },
    maxHoldMs: auction?.maxHoldMs,
    traced: debugTrace || asksForTrace(req),
  };
};

export const asksForTrace = ({ url }: Request): boolean => /[?&]debug=1(&|$)/.test(url);

/** The address and the program of a server that asks for a visitor's ad say nothing of the visitor. */
const sealedVisitor = ({ visitor: { browser }, ip }: Asker, { device }: WireAdRequest, req: Request): SealedVisitor => ({
  browser,
  ip: browser !== null || device?.ip !== undefined ? ip : null,
  origin: pageOrigin(req),
});

const NO_SIZES: readonly AdSize[] = [];

/** `w` and `h` each override the placement's; else the sizes of the banner apply, the first preferred. */
const sizesOf = ({ w, h, banner }: Pick<WireImp, 'w' | 'h' | 'banner'>): Pick<RequestedImp, 'width' | 'height' | 'otherSizes'> => {
  if (w !== undefined || h !== undefined || !banner) return { width: sideOf(w), height: sideOf(h), otherSizes: NO_SIZES };
  const formats = Array.isArray(banner.format) ? (banner.format as readonly unknown[]).flatMap(formatOf) : NO_SIZES;
  const [first, ...otherSizes] = formats;
  return first ? { ...first, otherSizes } : { width: sideOf(banner.w), height: sideOf(banner.h), otherSizes: NO_SIZES };
};

/** A format without both sides names a ratio, which no creative is booked by. */
const formatOf = (format: unknown): readonly AdSize[] => {
  const { w, h } = (format ?? {}) as WireSize;
  return w === undefined || h === undefined ? NO_SIZES : [{ width: Number(w), height: Number(h) }];
};

const sideOf = (side: WireSize['w']): number | null => (side === undefined ? null : Number(side));

/** Without the name of its view a page is one request. */
const NO_PLACEMENTS: readonly string[] = [];
