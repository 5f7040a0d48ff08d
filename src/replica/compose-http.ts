import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { Request } from 'express';
import { fileURLToPath } from 'node:url';
import { createZoneOffset } from '../base/zone-offset.ts';
import { readAssetPart } from '../uploads/asset-store.ts';
import { readSupply } from '../catalog/postgres/read-supply.ts';
import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import { addressesOf } from '../creative/absolute-address.ts';
import { createDecideConsent } from '../context/consent/decide-consent.ts';
import { addressPrefix } from '../context/client-address.ts';
import { userHash, userKeyOf } from '../context/user-hash.ts';
import { createApp } from '../http/app.ts';
import { createAuthenticate } from '../http/request/authenticate.ts';
import { createCallerAddress } from '../http/request/caller-address.ts';
import { createDebugGrants } from '../http/request/debug-grants.ts';
import { createAnswerWriter } from '../http/openrtb/write-answer.ts';
import { createAuctionWriter } from '../http/openrtb/write-auction.ts';
import { createVastWriter } from '../http/openrtb/write-vast.ts';
import type { TrackRouteOptions } from '../http/routes/track.ts';
import { assetFilesRoute } from '../http/routes/asset-files.ts';
import { staticFiles } from '../http/routes/static-files.ts';
import { createAlignedServer } from '../http/server/aligned-server.ts';
import { closeSlowReaders } from '../http/server/slow-readers.ts';
import { createHostCheck } from '../http/server/check-host.ts';
import { createClosedGate } from '../people/admin-gate.ts';
import { createAlertStore } from '../alerts/alert-store.ts';
import type { People } from '../people/create-people.ts';
import { createProofLinkStore } from '../proofing/proof-link-store.ts';
import { createProofStore } from '../proofing/proof-store.ts';
import { sharedProofRoute } from '../proofing/shared-proof-route.ts';
import { createReportLinkStore } from '../reports/report-link-store.ts';
import { sharedReportRoute } from '../reports/shared-report-route.ts';
import { createTrafficking } from '../trafficking/create-trafficking.ts';
import { composeBuyerTools, composeStaffTools } from './compose-agents.ts';
import { composeWriter } from './compose-writer.ts';
import type { Background } from './compose-background.ts';
import { composeStaffMail } from './compose-people.ts';
import type { Delivery } from './compose-delivery.ts';
import type { Foundation } from './lay-foundation.ts';
import type { Readiness } from './lifecycle.ts';

/**
 * Against slow clients: the time in which a request must send its headers, and arrive whole;
 * checked every two seconds.
 */
export const SLOW_CLIENTS = { headersTimeout: 10_000, requestTimeout: 15_000, connectionsCheckingInterval: 2_000 };

/** A connection on which nothing moves for so long is closed. */
export const MAX_SILENCE_MS = 60_000;

/**
 * Connections of one replica; further ones are refused. Behind a proxy there are a few hundred, and
 * each may hold a body of 64 KiB that is on its way.
 */
export const MAX_CONNECTIONS = 10_000;

/**
 * The HTTP surface: ads, tracking, operations, static files and, where it is enabled, the
 * trafficking API.
 */
export const composeHttp = (
  foundation: Foundation,
  delivery: Delivery,
  { replicas, sendReportsNow }: Pick<Background, 'replicas' | 'sendReportsNow'>,
  people: People,
  readiness: Readiness,
): Server => {
  const { settings, dimensions, demo, metrics, log, observe, stores } = foundation;
  const { catalog, tokens, requestContext } = delivery;
  const { allowedEvents, publicUrl, assetsUrl, creativeOrigin } = settings;
  const addresses = addressesOf(settings);
  // Of answers whose every address is absolute.
  const absoluteUrl = settings.production && publicUrl === '' ? undefined : publicUrl;
  const [firstKey] = settings.userKeys;
  const userKey = firstKey && userKeyOf(firstKey.secret);
  const sessionKey = randomBytes(32).toString('hex');
  const callerAddress = createCallerAddress(settings.trustProxyHops);
  const asking = {
    requestContext,
    decideConsent: createDecideConsent({ cacheSize: 10_000 }),
    userHash: (snapshot: Snapshot, publisherId: number, userId: string) => userHash(userKey ?? snapshot.userHashKey, publisherId, userId),
    sessionHash: (publisherId: number, userId: string) => userHash(sessionKey, publisherId, userId),
    zoneOffset: createZoneOffset(),
    debugTrace: settings.debugTrace,
    sealVisitor: delivery.sealVisitor,
    clientOf: (snapshot: Snapshot, req: Request) =>
      settings.earnedHolds ? delivery.sealClient(snapshot.userHashKey, callerAddress(req)) : undefined,
    now: delivery.now,
  };
  /** A report stores nothing about its sender, and the hash in Redis is forgotten within a day. */
  const clientOf = (req: Request): string | null => {
    const { ip } = requestContext(req);
    const snapshot = catalog.current();
    return ip === null || !snapshot ? null : userHash(snapshot.userHashKey, 0, addressPrefix(ip));
  };
  const isOpen = settings.adminEnabled && settings.adminClosedBecause === undefined;
  const { knex } = stores;
  const reportLinks = createReportLinkStore({ knex });
  const proofing = { proofLinks: createProofLinkStore({ knex }), proofs: createProofStore({ knex }) };
  const staffMail = isOpen ? composeStaffMail(foundation) : undefined;
  const debugGrants = createDebugGrants(settings.tokenSecrets);
  const serving = {
    currentSnapshot: catalog.current,
    serveAd: delivery.serveAd,
    authenticate: createAuthenticate(),
    dimensions,
    debugGrants: settings.production ? debugGrants : undefined,
    observe: observe.ad,
    ...asking,
  };
  const track: TrackRouteOptions = {
    tokens,
    recordHit: delivery.recordHit,
    requestContext,
    screenHit: delivery.screenHit,
    allowedEvents,
    clickUrlOf: (creativeId) => catalog.current()?.creatives.get(creativeId)?.clickUrl,
    now: delivery.now,
    observe: observe.track,
  };
  const errors = { log, countError: metrics.error };
  const writer = composeWriter(foundation, delivery);
  const trafficking = isOpen
    ? createTrafficking({
        knex: foundation.stores.knex,
        reportKnex: foundation.stores.reportKnex,
        rateOf: foundation.rateOf,
        reports: delivery.reporting.reports,
        savedReports: { ...delivery.reporting, hasMail: settings.smtp !== undefined, sendNow: sendReportsNow },
        reportLinks,
        ...proofing,
        alerts: createAlertStore({ knex: foundation.stores.knex }),
        allowPrivateAddresses: settings.bidderPrivateAddresses,
        dimensions,
        secretBox: delivery.secretBox,
        writer,
        people,
        publicUrl,
        staffMail,
        addresses,
        maxStoredBytes: settings.assetStoreMb * 1_000_000,
        allowedEvents,
        currentSnapshot: catalog.current,
        counters: delivery.counters,
        countReplicas: replicas.count,
        dryServeAd: delivery.dryServeAd,
        forecasts: delivery.forecasts,
        refusalStore: delivery.refusalStore,
        asking,
        debugGrants,
        onFailure: observe.storeFailed('trafficking', 'The trafficking API could not reach its store'),
      })
    : undefined;
  const app = createApp({
    servesAds: settings.role !== 'tool',
    ad: {
      ...serving,
      writeAnswer: createAnswerWriter({ allowedEvents, tracking: { signToken: tokens.sign, publicUrl, creativeOrigin, addresses } }),
    },
    auction: {
      ...serving,
      dryServeAd: delivery.dryServeAd,
      writeAuction: createAuctionWriter({ signToken: tokens.sign, assetsUrl, creativeOrigin }),
      rateOf: foundation.rateOf,
      publicUrl: absoluteUrl,
    },
    tag: {
      ...serving,
      track,
      signToken: tokens.sign,
      shownAds: delivery.shownAds,
      recipientHash: (snapshot, publisherId, recipient) => userHash(snapshot.userHashKey, publisherId, recipient),
      script: () => readFile(new URL('../../public/sdk/revive-async.js', import.meta.url), 'utf8'),
      publicUrl,
      addresses,
    },
    vast: {
      ...serving,
      writeVast: createVastWriter({ signToken: tokens.sign, assetsUrl, creativeOrigin }),
      publicUrl: absoluteUrl,
      onNoAd: () => metrics.customEvent('error'),
    },
    track,
    report: {
      tokens,
      reports: delivery.reports,
      limit: delivery.reportLimit,
      clientOf,
      onFailure: observe.storeFailed('report', 'A quality report could not be stored'),
    },
    supply: {
      readSupply: () => readSupply(stores.knex),
      onFailure: observe.storeFailed('trafficking', 'The sellers of ads.txt and sellers.json could not be read'),
    },
    reloadEverywhere: catalog.reloadEverywhere,
    build: { version: foundation.version, commit: settings.commit },
    readiness: {
      notReadyBecause: readiness.notReadyBecause,
      redisUp: () => stores.link.up,
      catalogWorkerUp: () => delivery.catalogWorker.up,
      booksRebuilding: () => delivery.bookkeeping.rebuildingShards() > 0,
    },
    renderMetrics: metrics.render,
    mockBidder: settings.mockBidderEnabled,
    creativeOrigin,
    assetFiles: assetFilesRoute({
      readPart: (path, part) => readAssetPart(stores.fileKnex, path, part),
      onFailure: observe.storeFailed('assets', 'An uploaded file could not be read'),
    }),
    staticFiles: staticFiles({
      root: fileURLToPath(new URL('../../public', import.meta.url)),
      demoConfig: demo?.config,
      admin: isOpen,
    }),
    traffickingClosed: settings.adminClosedBecause === undefined ? undefined : createClosedGate(settings.adminClosedBecause),
    trafficking,
    staffTools: trafficking && composeStaffTools(foundation, people, trafficking, errors),
    buyerTools:
      trafficking && composeBuyerTools(foundation, { gate: people.gate, forecasts: delivery.forecasts, writer }, trafficking, errors),
    auth: isOpen ? people.auth : undefined,
    sharedReport: isOpen
      ? sharedReportRoute({
          links: reportLinks,
          reports: delivery.reporting.reports,
          knex: foundation.stores.knex,
          onFailure: observe.storeFailed('trafficking', 'A report could not reach its store'),
        })
      : undefined,
    sharedProof: isOpen
      ? sharedProofRoute({
          ...{ knex, staffMail, links: proofing.proofLinks, store: proofing.proofs },
          onFailure: observe.storeFailed('trafficking', 'A proof could not reach its store'),
        })
      : undefined,
    errors,
  });
  const server = createAlignedServer(
    app,
    { keepAliveTimeout: settings.keepAliveMs, ...SLOW_CLIENTS },
    createHostCheck(settings.knownHosts),
    foundation.tracing?.request,
  );
  server.timeout = MAX_SILENCE_MS;
  server.maxConnections = MAX_CONNECTIONS;
  closeSlowReaders(server);
  return server;
};
