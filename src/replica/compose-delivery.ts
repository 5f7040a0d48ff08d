import { fileURLToPath } from 'node:url';
import { randomUUID } from 'node:crypto';
import { createSecretBox } from '../base/secret-box.ts';
import { createBidders } from '../bidders/create-bidders.ts';
import { HEADER_PURPOSE } from '../catalog/model/bidder-of.ts';
import { createCatalogStore } from '../catalog/postgres/catalog-store.ts';
import { createCatalog } from '../catalog/catalog.ts';
import { runCatalogWorker } from '../catalog/worker/run-catalog-worker.ts';
import { createChangeNotices } from '../catalog/change-notice.ts';
import { acceptsOrigin } from '../catalog/model/origins.ts';
import { createCountryLookup } from '../context/country-lookup.ts';
import { createGeoDatabase } from '../context/geo-database.ts';
import { createDeviceDetector } from '../context/device-detector.ts';
import { createVisitorSeal } from '../context/visitor-seal.ts';
import { createRefusalStore } from '../events/postgres/refusal-store.ts';
import { createRefusalTallies } from '../events/refusal-tallies.ts';
import { reasonName } from '../decision/no-bid-reason.ts';
import { createRequestCounts } from '../events/postgres/request-counts.ts';
import { createRequestTallies } from '../events/request-tallies.ts';
import { createSampleStore } from '../forecast/sample/sample-store.ts';
import { createTrafficSample } from '../forecast/sample/traffic-sample.ts';
import { createRequestContext } from '../http/request/request-context.ts';
import { createAllowances } from '../ledger/allowances/allowances.ts';
import { createBillingNotices } from '../ledger/billing-notices.ts';
import { createFreeHolds, NO_HOLDS } from '../ledger/free-holds.ts';
import { createLedger } from '../ledger/ledger.ts';
import { createDryReserve, createJudgeLimits } from '../ledger/read/dry-ledger.ts';
import { createAccountReader } from '../ledger/read/read-accounts.ts';
import { createReadFiltered } from '../ledger/read/read-filtered.ts';
import { createLimitReader } from '../ledger/read/read-limits.ts';
import { createUniqueIds } from '../ledger/unique-ids.ts';
import { createRedisClient } from '../redis/redis-client.ts';
import { createNotifyBidders } from '../serving/notify-bidders.ts';
import { createOpportunityCosts } from '../serving/opportunity-costs.ts';
import { createSessionCaps } from '../serving/session-caps.ts';
import { createServeAd } from '../serving/serve-ad.ts';
import { createScreenHit } from '../tracking/invalid-traffic/screen-hit.ts';
import { createNotifyBilled } from '../tracking/notify-billed.ts';
import { createPendingHits } from '../tracking/pending-hits.ts';
import { createRecordHit } from '../tracking/record-hit.ts';
import { createShownAds } from '../tracking/shown-ads.ts';
import { createReportLimit } from '../tracking/report-limit.ts';
import { createReportStore } from '../tracking/report-store.ts';
import { createTokens } from '../tracking/tokens.ts';
import { composeBooks } from './compose-books.ts';
import { composeDecisions } from './compose-decisions.ts';
import { composeForecast } from './compose-forecast.ts';
import { composeReports } from './compose-reports.ts';
import { createSettling } from './create-settling.ts';
import type { Foundation } from './lay-foundation.ts';
import { traceBidders } from './trace-bidders.ts';
import { traceLedger } from './trace-ledger.ts';

const ANY_ORIGIN: ReadonlySet<string> = new Set();

/** Ad decisions and hit recording: everything between the HTTP surface and the stores. */
export const composeDelivery = (foundation: Foundation) => {
  const { settings, addresses, dimensions, dataCenters, rateOf, metrics, log, observe, stores, tracing } = foundation;
  const { keys, link } = stores;
  /** Redis's clock, epoch ms: in a cluster that of the publisher's node. */
  const now = (publisherId = 0) => link.nowMs(keys.shardOf(publisherId));
  const catalogWorker = runCatalogWorker({ databaseUrl: addresses.databaseUrl, dimensions, onCrash: observe.catalogWorkerFailed });
  const notices = createChangeNotices({
    connect: () => createRedisClient({ urls: addresses.redisUrls, commandTimeoutMs: 2_000, name: 'ad-server-notices' }),
    onAvailability: (available) => log.warn(available ? 'Redis is available again' : 'Redis is unavailable'),
  });
  const catalog = createCatalog({
    loader: catalogWorker,
    store: createCatalogStore({ knex: stores.knex }),
    notices,
    reloadIntervalMs: settings.reloadIntervalMs,
    now,
    observer: observe.catalog,
  });

  const bookkeeping = composeBooks(foundation, catalog, notices);
  const { books } = bookkeeping;
  const ledgerOptions = { keys, tokenTtlMs: settings.tokenTtlMs, pid: settings.pid, books, onFailure: observe.ledgerFailed };
  const promptLedger = createLedger({ ...ledgerOptions, redis: stores.redis, link, patienceMs: stores.patienceMs });
  const ledger = tracing ? traceLedger(promptLedger, tracing) : promptLedger;
  const allowances = createAllowances({
    ledger,
    tokenTtlMs: settings.tokenTtlMs,
    enabled: settings.allowances,
    reserveMs: settings.allowanceReserveMs,
    isUp: (publisherId) => link.upOf(keys.shardOf(publisherId)),
    now,
    clock: () => performance.now(),
    observe: observe.allowances,
  });
  const counters = {
    accounts: createAccountReader({ redis: stores.backgroundRedis, keys }),
    readFiltered: createReadFiltered({ redis: stores.backgroundRedis, keys }),
    readLimits: createLimitReader({ redis: stores.backgroundRedis, keys, pid: settings.pid, books }),
    countersUp: () => stores.backgroundLink.up,
  };

  const secretBox = createSecretBox(settings.sealKeys);
  const requestTallies = createRequestTallies({
    store: createRequestCounts({ knex: stores.knex }),
    replica: randomUUID(),
    flushMs: settings.rollUpIntervalMs,
    onFailure: observe.storeFailed('count_requests', 'Counts of requests could not be stored; they wait in memory'),
  });
  const bidders = createBidders({
    timeoutMs: settings.bidderTimeoutMs,
    allowPrivateAddresses: settings.bidderPrivateAddresses,
    openHeader: (sealed) => secretBox.open(sealed, HEADER_PURPOSE),
    rateOf,
    observe: {
      ...observe.bidders,
      impression: (offer, step, outcome) => {
        observe.bidders.impression(offer, step, outcome);
        requestTallies.countBid(offer, step, outcome ?? '');
      },
    },
    log,
    traceCall: tracing && traceBidders(tracing, settings.tracing?.bidderHosts ?? []),
  });
  const billingNotices = createBillingNotices({
    // Notices are sent outside of requests, and a hit folded after an outage needs this connection
    // open.
    redis: stores.backgroundRedis,
    keys,
    onFailure: observe.storeFailed('billing_notice', 'A billing notice could not be stored'),
  });
  const opportunityCosts = createOpportunityCosts({ accounts: counters.accounts, currentSnapshot: catalog.current, now });
  const deciding = {
    bidders,
    opportunityFactor: opportunityCosts.factorOf,
    random: Math.random,
    clock: () => performance.now(),
    stage: tracing?.stage,
  };
  const sessionCaps = createSessionCaps();
  const freeHolds = createFreeHolds();
  const refusalStore = createRefusalStore({ knex: stores.knex });
  const refusals = createRefusalTallies({
    store: refusalStore,
    onFailure: observe.storeFailed('count_refusals', 'Counts of refusals could not be stored; they wait in memory'),
  });
  const trafficSample = createTrafficSample({
    store: createSampleStore({ knex: stores.knex }),
    perDay: settings.forecastSample,
    onDropped: metrics.sampleDropped,
    onFailure: observe.storeFailed('traffic_sample', 'The sample of traffic could not be stored; forecasts have a gap'),
  });
  const decisions = composeDecisions(foundation);
  const serveAd = createServeAd({
    ...deciding,
    sessionCaps,
    freeHolds,
    reserve: allowances.reserve,
    fromLots: allowances.fromLots,
    newId: createUniqueIds(),
    onBidsDecided: createNotifyBidders(bidders, billingNotices),
    refusals,
    onDecided: (request, decided, unfilled) => {
      const { publisher, visitor } = request;
      trafficSample.note(request, catalog.current()?.userHashKey ?? '');
      decisions?.note(request, decided);
      for (const { placement, won } of decided) {
        if (!won) continue;
        requestTallies.request(publisher.id, placement, visitor, '');
        requestTallies.serve(won.ad, visitor);
      }
      for (const { placement, reason } of unfilled) requestTallies.request(publisher.id, placement, visitor, reasonName(reason));
    },
  });
  const dryServeAd = createServeAd({
    ...deciding,
    sessionCaps: { ...sessionCaps, take: () => undefined },
    freeHolds: NO_HOLDS,
    reserve: createDryReserve(createJudgeLimits(counters)),
    newId: () => '',
    onBidsDecided: () => undefined,
  });

  const { seal, client } = createVisitorSeal();
  const pending = createPendingHits({ knex: stores.promptKnex });
  const notifyBilled = createNotifyBilled({ billingNotices, send: bidders.notifyBilled });
  const settling = createSettling({ currentSnapshot: catalog.current, observe, freeHolds, notifyBilled });
  const inRedis = { redis: stores.redis, keys, patienceMs: stores.patienceMs, now: () => now(0) };
  return {
    now,
    catalog,
    catalogWorker,
    bookkeeping,
    ledgerOptions,
    allowances,
    counters,
    bidders,
    secretBox,
    serveAd,
    dryServeAd,
    refusals,
    refusalStore,
    requestTallies,
    trafficSample,
    decisions,
    ...composeForecast(foundation),
    opportunityCosts,
    reporting: composeReports(foundation),
    tokens: createTokens({ secrets: settings.tokenSecrets, now }),
    pending,
    billingNotices,
    settling,
    recordHit: createRecordHit({
      ledger,
      pending,
      keys,
      ...settling,
      onFallback: () => metrics.storeFallback('redis'),
      onFailure: observe.storeFailed('hit', 'A hit could not be stored'),
    }),
    sealVisitor: seal,
    sealClient: client,
    screenHit: createScreenHit({
      dataCenters,
      seal,
      sealKey: () => catalog.current()?.userHashKey,
      acceptsOrigin: (publisherId, origin) => acceptsOrigin(catalog.current()?.publishers.get(publisherId)?.origins ?? ANY_ORIGIN, origin),
    }),
    reports: createReportStore({ knex: stores.promptKnex }),
    shownAds: createShownAds({ ...inRedis, up: () => link.up }),
    reportLimit: createReportLimit({ ...inRedis, up: () => link.upOf(0) }),
    requestContext: createRequestContext({
      locate:
        settings.geoDatabase === undefined
          ? createCountryLookup({ dataDir: fileURLToPath(new URL('../geodata', import.meta.url)), cacheSize: 50_000 })
          : createGeoDatabase({ file: settings.geoDatabase, cacheSize: 50_000 }),
      visitorOf: createDeviceDetector({ cacheSize: 10_000 }),
      trustProxyHops: settings.trustProxyHops,
    }),
  };
};

export type Delivery = ReturnType<typeof composeDelivery>;
