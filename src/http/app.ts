import express, { type Express, type RequestHandler } from 'express';
import { auctionPreflight, preflight } from './answers/cors.ts';
import { createErrorHandler, methodNotAllowed, notFound, type ErrorHandlerParts } from './problems/error-handler.ts';
import { sendRequestId } from './request/request-id.ts';
import { adRoute, type AdRouteOptions } from './routes/ad.ts';
import { auctionRoute, type AuctionRouteOptions } from './routes/auction.ts';
import { creativeHost } from './routes/creative-host.ts';
import { healthRoute, metricsRoute, readyRoute, reloadRoute, versionRoute, type Build } from './routes/operations.ts';
import { reportRoute, type ReportRouteOptions } from './routes/report.ts';
import { testBidRoute } from './routes/test-bid.ts';
import { supplyRoutes, type SupplyRouteOptions } from './routes/supply.ts';
import { vmapRoute } from './routes/vmap.ts';
import { vastErrorRoute, vastRoute, type VastRouteOptions } from './routes/vast.ts';
import { clickTagRoute, iframeTagRoute, imageTagRoute } from './routes/tag.ts';
import { REVIVE_FOLDERS, reviveTagRoutes, type ReviveTagOptions } from './routes/revive-tags.ts';
import { clickRoute, eventRoute, impressionRoute, type TrackRouteOptions } from './routes/track.ts';

export interface AppOptions {
  /** Whether it answers pages: ads, hits, tags, auctions. */
  readonly servesAds: boolean;
  readonly ad: AdRouteOptions;
  readonly auction: AuctionRouteOptions;
  readonly tag: ReviveTagOptions;
  readonly vast: VastRouteOptions;
  readonly track: TrackRouteOptions;
  readonly report: ReportRouteOptions;
  readonly supply: SupplyRouteOptions;
  readonly reloadEverywhere: () => Promise<void>;
  readonly build: Build;
  readonly readiness: Parameters<typeof readyRoute>[0];
  readonly renderMetrics: Parameters<typeof metricsRoute>[0];
  readonly mockBidder: boolean;
  /** '': there is none. */
  readonly creativeOrigin: string;
  /** Uploaded files, under /static/assets. */
  readonly assetFiles: RequestHandler;
  /** Pages, scripts and other files under /static. */
  readonly staticFiles: RequestHandler;
  /** The trafficking API under /api; undefined: disabled. */
  readonly trafficking: RequestHandler | undefined;
  /** The tools of staff under /mcp; undefined: disabled. */
  readonly staffTools: RequestHandler | undefined;
  /** The tools of buyers' agents under /adcp; undefined: disabled. */
  readonly buyerTools: RequestHandler | undefined;
  /** Answers in place of the trafficking API and its pages. */
  readonly traffickingClosed: RequestHandler | undefined;
  /** Signing in, under /auth; undefined: disabled. */
  readonly auth: RequestHandler | undefined;
  /** Reports of read-only links; undefined: disabled. */
  readonly sharedReport: RequestHandler | undefined;
  /** Proofs of ads by links; undefined: disabled. */
  readonly sharedProof: RequestHandler | undefined;
  readonly errors: ErrorHandlerParts;
}

/** With and without the publisher's id. */
const AUCTION = ['/openrtb2/auction', '/openrtb2/auction/:publisher'];

/** What answers GET and HEAD alone. */
const READ_ONLY_ADS = [
  ...['/impression', '/click', '/event', '/tag/iframe', '/tag/image', '/tag/click', '/vast', '/vast/error', '/vmap'],
  ...['/ads.txt', '/sellers.json'],
];
const READ_ONLY_OPERATIONS = ['/health', '/version', '/ready', '/metrics'];

/** What belongs to the trafficking tool. */
const CLOSED = [
  ...['/api', '/auth', '/mcp', '/adcp', '/static/admin.html', '/static/sign-in.html', '/static/api'],
  ...['/static/report', '/shared_report', '/static/proof', '/shared_proof'],
];

/** All routes of the service. */
export const createApp = (options: AppOptions): Express => {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');

  if (options.servesAds) serveAds(app, options);
  serveOperations(app, options);
  serveTool(app, options);
  app.use('/static/assets', options.assetFiles);
  app.use('/static', options.staticFiles);

  if (options.servesAds) {
    app.all(['/ad', '/report', ...AUCTION], methodNotAllowed('POST, OPTIONS'));
    app.all(READ_ONLY_ADS, methodNotAllowed('GET, HEAD'));
  }
  app.all(READ_ONLY_OPERATIONS, methodNotAllowed('GET, HEAD'));
  app.all('/reload', methodNotAllowed('POST'));
  if (options.mockBidder) app.all('/test/bid', methodNotAllowed('POST'));
  app.use(notFound);
  app.use(createErrorHandler(options.errors));
  return app;
};

/** What pages and their servers ask. Hot routes come first, without middleware before them. */
const serveAds = (app: Express, options: AppOptions): void => {
  app.post('/ad', adRoute(options.ad));
  app.get('/impression', impressionRoute(options.track));
  app.get('/click', clickRoute(options.track));
  app.get('/event', eventRoute(options.track));
  app.get('/vast', vastRoute(options.vast));
  app.post(AUCTION, auctionRoute(options.auction));
  app.options(['/ad', '/report'], preflight);
  app.options(AUCTION, auctionPreflight);
  app.post('/report', reportRoute(options.report));

  if (options.creativeOrigin) app.use(creativeHost(options.creativeOrigin));
  app.get('/tag/iframe', iframeTagRoute(options.tag));
  app.get('/tag/image', imageTagRoute(options.tag));
  app.get('/tag/click', clickTagRoute(options.tag));
  app.get('/vast/error', vastErrorRoute(options.vast));
  app.get('/vmap', vmapRoute(options.vast));
  for (const [name, answer] of Object.entries(reviveTagRoutes(options.tag)))
    app.get(
      REVIVE_FOLDERS.map((folder) => `${folder}/${name}`),
      answer,
    );
  const { adsTxt, sellersJson } = supplyRoutes(options.supply);
  app.get('/ads.txt', adsTxt);
  app.get('/sellers.json', sellersJson);
};

const serveOperations = (app: Express, options: AppOptions): void => {
  app.get('/health', healthRoute);
  app.get('/version', versionRoute(options.build));
  app.get('/ready', readyRoute(options.readiness));
  app.get('/metrics', metricsRoute(options.renderMetrics));
  app.post('/reload', reloadRoute(options.reloadEverywhere));
  if (options.mockBidder) app.post('/test/bid', testBidRoute);
};

const serveTool = (app: Express, options: AppOptions): void => {
  app.use('/api', sendRequestId);
  if (options.traffickingClosed) app.use(CLOSED, options.traffickingClosed);
  if (options.trafficking) app.use('/api', options.trafficking);
  if (options.staffTools) app.use('/mcp', sendRequestId, options.staffTools);
  if (options.buyerTools) app.use('/adcp', sendRequestId, options.buyerTools);
  if (options.auth) app.use('/auth', sendRequestId, options.auth);
  if (options.sharedReport) app.use('/shared_report', sendRequestId, options.sharedReport);
  if (options.sharedProof) app.use('/shared_proof', sendRequestId, options.sharedProof);
};
