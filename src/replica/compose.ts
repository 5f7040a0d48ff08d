import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createEventWriter } from '../events/event-writer.ts';
import { createEventStore } from '../events/postgres/event-store.ts';
import { BID_OUTCOME_NAMES } from '../bidders/bid-outcome.ts';
import { createBidders } from '../bidders/create-bidders.ts';
import { createCatalogStore } from '../catalog/postgres/catalog-store.ts';
import { createCatalog } from '../catalog/catalog.ts';
import { createChangeNotices } from '../catalog/change-notice.ts';
import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import type { Settings } from '../config/settings.ts';
import { connectStores, type StoreAddresses } from './connect-stores.ts';
import { createCountryLookup } from '../context/country-lookup.ts';
import { createDeviceDetector } from '../context/device-detector.ts';
import { userHash } from '../context/user-hash.ts';
import { NoBidReason, reasonName } from '../decision/no-bid-reason.ts';
import { createBillingNotices } from '../ledger/billing-notices.ts';
import { createLedger } from '../ledger/ledger.ts';
import { createAccountReader } from '../ledger/read/read-accounts.ts';
import { createLimitReader } from '../ledger/read/read-limits.ts';
import { createRedisClient } from '../redis/redis-client.ts';
import { curveAt } from '../ledger/traffic-curve.ts';
import { createUniqueIds } from '../ledger/unique-ids.ts';
import type { Hit } from '../ledger/hit.ts';
import { createAlignedServer } from '../http/server/aligned-server.ts';
import { createApp } from '../http/app.ts';
import { createAuthenticate } from '../http/authenticate.ts';
import { createServerDrain } from '../http/server/drain-server.ts';
import { createRequestContext } from '../http/request-context.ts';
import { staticFiles } from '../http/routes/static-files.ts';
import { createLog, type Log } from '../observability/log.ts';
import { createMetrics } from '../observability/metrics.ts';
import { observeService } from './observe-service.ts';
import { watchService } from './watch-service.ts';
import { within } from '../base/within.ts';
import { createComposeBid } from '../serving/compose-bid.ts';
import { createReserveWinners } from '../serving/reserve-winners.ts';
import { createServeAd } from '../serving/serve-ad.ts';
import type { DimensionSchema } from '../targeting/dimension-schema.ts';
import { createFold } from '../tracking/fold-hits.ts';
import { hitLimits } from '../tracking/hit-limits.ts';
import { createPendingHits } from '../tracking/pending-hits.ts';
import { createRecordHit } from '../tracking/record-hit.ts';
import { createReportStore } from '../tracking/report-store.ts';
import { createTokens } from '../tracking/tokens.ts';
import { createTrafficking } from '../trafficking/create-trafficking.ts';

/** One replica, put together and not yet started. */
export interface Service {
  readonly server: Server;
  readonly log: Log;
  /** Loads the catalog and starts the background work. Resolves after the first attempt at each. */
  start(): Promise<void>;
  /** Not ready, go on accepting for `drainMs`, finish what is under way, hand over, close. */
  stop(signal: string, drainMs: number): Promise<void>;
}

export interface ComposeOptions {
  readonly settings: Settings;
  readonly addresses: StoreAddresses;
  readonly dimensions: DimensionSchema;
  /** Of the embedded Postgres: whose ads the demo pages ask for. */
  readonly demo?: { readonly config: () => string };
}

/** Against slow clients: a request has this long to send its headers, and to arrive whole; looked at every two seconds. */
const SLOW_CLIENTS = { headersTimeout: 10_000, requestTimeout: 15_000, connectionsCheckingInterval: 2_000 };
const PRUNE_MS = 3_600_000;
/** After the drain time: requests under way, then the hand-over of what is in the background, then the stores. 14 s in all. */
const FINISH_MS = 8_000;
const HAND_OVER_MS = 4_000;
const CLOSE_MS = 2_000;

/** The only place that knows every part. */
export const compose = ({ settings, addresses, dimensions, demo }: ComposeOptions): Service => {
  const metrics = createMetrics({
    noBidReasons: Object.values(NoBidReason).map(reasonName),
    eventTypes: settings.allowedEvents,
    bidOutcomes: BID_OUTCOME_NAMES,
  });
  const log = createLog({ level: settings.logLevel, onDropped: metrics.logDropped });
  const observe = observeService({ log, metrics });
  const stores = connectStores(settings, addresses);
  const { keys } = stores;

  const catalog = createCatalog({
    store: createCatalogStore({ knex: stores.knex }),
    notices: createChangeNotices({
      connect: () => createRedisClient({ urls: addresses.redisUrls, commandTimeoutMs: 2_000, name: 'ad-server-notices' }),
      onAvailability: (available) => log.warn(available ? 'Redis answers again' : 'Redis is away'),
    }),
    dimensions,
    reloadIntervalMs: settings.reloadIntervalMs,
    observer: observe.catalog,
  });
  const currentSnapshot = () => {
    const snapshot = catalog.current();
    if (!snapshot) throw new Error('asked for campaign data before the first load');
    return snapshot;
  };

  const ledgerOptions = { keys, tokenTtlMs: settings.tokenTtlMs, pid: settings.pid };
  const onFailure = (script: 'reserve' | 'settle', fault: Error) => observe.storeFailed(script, `Redis did not answer ${script}`, fault);
  const ledger = createLedger({ ...ledgerOptions, redis: stores.redis, link: stores.link, patienceMs: stores.patienceMs, onFailure });
  const backgroundLedger = createLedger({ ...ledgerOptions, redis: stores.backgroundRedis, link: stores.backgroundLink, onFailure });

  const tokens = createTokens({ secrets: settings.tokenSecrets });
  const bidders = createBidders({
    timeoutMs: settings.bidderTimeoutMs,
    allowPrivateAddresses: settings.bidderPrivateAddresses,
    observe: observe.bidders,
    log,
  });
  const billingNotices = createBillingNotices({
    redis: stores.redis,
    keys,
    now: Date.now,
    onFailure: (fault) => observe.storeFailed('billing_notice', 'a billing notice could not be kept', fault),
  });
  const curveOf = (snapshot: Snapshot, publisherId: number, atMs: number) => curveAt(atMs, snapshot.trafficOf(publisherId));
  const serveAd = createServeAd({
    currentSnapshot,
    bidders,
    billingNotices,
    reserveWinners: createReserveWinners({
      ledger,
      tokenTtlMs: settings.tokenTtlMs,
      curveOf,
      newId: createUniqueIds(),
    }),
    composeBid: createComposeBid({ signToken: tokens.sign, publicUrl: settings.publicUrl }),
    random: Math.random,
    clock: () => performance.now(),
  });

  const pending = createPendingHits({ knex: stores.promptKnex });
  const limitsOf = (hit: Hit) => {
    const snapshot = catalog.current();
    return snapshot && hitLimits(snapshot, hit);
  };
  const onSettled = ({ ad, kind, invalidReason }: Hit, foundHold: boolean): void => {
    observe.settled(foundHold);
    if (kind === 'impression' && invalidReason !== 'prefetch' && ad.billingNotice)
      void billingNotices.take(ad).then((url) => url && bidders.notifyBilled(url));
  };
  const recordHit = createRecordHit({
    ledger,
    pending,
    keys,
    limitsOf,
    onFallback: () => metrics.storeFallback('redis'),
    onFailure: (fault) => observe.storeFailed('hit', 'a hit could be stored nowhere', fault),
    onSettled,
  });
  const fold = createFold({
    redis: stores.backgroundRedis,
    link: stores.backgroundLink,
    keys,
    ledger: backgroundLedger,
    pending: createPendingHits({ knex: stores.knex }),
    limitsOf,
    onSettled,
    onFolded: (hits) => log.info('hits that Postgres had taken in were folded into the ledger', { hits }),
    onFailure: (fault) => observe.storeFailed('fold', 'hits could not be folded into the ledger', fault),
  });
  const eventStore = createEventStore({ knex: stores.knex });
  const eventWriter = createEventWriter({
    redis: stores.backgroundRedis,
    keys,
    store: eventStore,
    consumer: randomUUID(),
    onFailure: (fault) => observe.storeFailed('drain', 'events could not be carried into Postgres; they wait in Redis', fault),
    onUnreadable: (shard, entryId) =>
      observe.storeFailed('drain', 'an event can never be stored', new Error(`shard ${shard}, entry ${entryId}`)),
  });

  const requestContext = createRequestContext({
    countryOf: createCountryLookup({ dataDir: fileURLToPath(new URL('../geodata', import.meta.url)), cacheSize: 50_000 }),
    deviceOf: createDeviceDetector({ cacheSize: 10_000 }),
    trustProxyHops: settings.trustProxyHops,
  });
  const asking = {
    requestContext,
    userHash: (snapshot: Snapshot, publisherId: number, userId: string) => userHash(snapshot.userHashKey, publisherId, userId),
    debugTrace: settings.debugTrace,
    now: Date.now,
  };
  let draining = false;
  const isReady = () => catalog.current() !== undefined && !draining;
  const app = createApp({
    ad: {
      currentSnapshot: catalog.current,
      serveAd,
      authenticate: createAuthenticate(),
      dimensions,
      allowedEvents: settings.allowedEvents,
      observe: observe.ad,
      ...asking,
    },
    track: {
      tokens,
      recordHit,
      requestContext,
      allowedEvents: settings.allowedEvents,
      clickUrlOf: (creativeId) => catalog.current()?.creatives.get(creativeId)?.clickUrl,
      now: Date.now,
      observe: observe.track,
    },
    report: {
      tokens,
      reports: createReportStore({ knex: stores.promptKnex }),
      onFailure: (fault) => observe.storeFailed('report', 'a report could not be stored', fault),
    },
    reloadEverywhere: catalog.reloadEverywhere,
    isReady,
    renderMetrics: metrics.render,
    mockBidder: settings.mockBidderEnabled,
    staticFiles: staticFiles({
      root: fileURLToPath(new URL('../../public', import.meta.url)),
      demoConfig: demo?.config,
      admin: settings.adminEnabled,
    }),
    trafficking: settings.adminEnabled
      ? createTrafficking({
          knex: stores.knex,
          dimensions,
          adminTokens: settings.adminTokens,
          publicUrl: settings.publicUrl,
          allowedEvents: settings.allowedEvents,
          currentSnapshot: catalog.current,
          counters: {
            accounts: createAccountReader({ redis: stores.backgroundRedis, keys }),
            readLimits: createLimitReader({ redis: stores.backgroundRedis, keys, pid: settings.pid }),
            countersUp: () => stores.backgroundLink.up,
            curveOf,
          },
          bidders,
          asking,
          reloadEverywhere: catalog.reloadEverywhere,
          onFailure: (fault) => observe.storeFailed('trafficking', 'the trafficking API could not reach its store', fault),
        })
      : undefined,
    errors: { log, countError: metrics.error },
  });
  const server = createAlignedServer(app, { keepAliveTimeout: settings.keepAliveMs, ...SLOW_CLIENTS });
  const serverDrain = createServerDrain(server);
  const checkRedis = watchService({ metrics, log, catalog, stores, pending, isReady });

  const prune = () => {
    eventStore.prune(settings.eventRetentionDays, Date.now()).then(
      (dropped) => dropped.length > 0 && log.info('event partitions past their retention were dropped', { dropped }),
      (fault: Error) => observe.storeFailed('prune', 'old event partitions could not be dropped', fault),
    );
  };
  let pruning: NodeJS.Timeout | undefined;

  return {
    server,
    log,
    start: async () => {
      if (settings.production && settings.adminEnabled && settings.adminTokens.length === 0)
        log.warn('the trafficking API is open to whoever reaches it: ADMIN_ENABLED is set and ADMIN_TOKEN is not');
      await catalog.start();
      void checkRedis();
      fold.start();
      eventWriter.start();
      prune();
      pruning = setInterval(prune, PRUNE_MS);
    },
    stop: async (signal, drainMs) => {
      draining = true;
      log.info('draining', { signal });
      // The load balancer needs a moment to see that we are not ready; until then its requests are answered as ever.
      serverDrain.announce();
      await sleep(drainMs);
      await serverDrain.close(FINISH_MS);
      clearInterval(pruning);
      // A store that hangs is left behind: whatever was not handed over is claimed by another replica.
      const handedOver = await within(HAND_OVER_MS, Promise.allSettled([catalog.stop(), fold.stop(), eventWriter.stop(), bidders.close()]));
      const closed = await within(CLOSE_MS, stores.close());
      log.info('stopped', { handedOver, closed });
    },
  };
};
