import { randomUUID } from 'node:crypto';
import { UTC_DAYS } from '../base/local-day.ts';
import { createRounds } from '../base/rounds.ts';
import { IDLE_KEY_TTL_MS, MS_PER_HOUR } from '../base/utc-day.ts';
import { createMayLower } from '../events/books/may-lower.ts';
import { createCompareAccounts } from '../events/compare-accounts.ts';
import { createCompareTallies } from '../events/compare-tallies.ts';
import { createEventWriter } from '../events/event-writer.ts';
import { createCountStore } from '../events/postgres/count-store.ts';
import { createDeadEvents } from '../events/postgres/dead-events.ts';
import { provisionalTokens } from '../events/postgres/event-rows.ts';
import { createEventStore } from '../events/postgres/event-store.ts';
import { createUncounted } from '../events/postgres/uncounted.ts';
import { createReconciler } from '../events/reconciler.ts';
import { createRollUp } from '../events/roll-up.ts';
import { curveAt, shareAt } from '../catalog/snapshot/traffic-curve.ts';
import { createGuardedDispatchers } from '../bidders/calls/guarded-dispatcher.ts';
import { createAlertStore } from '../alerts/alert-store.ts';
import { createDigestStore } from '../alerts/digest-store.ts';
import { createFindAlerts } from '../alerts/find-alerts.ts';
import { createRecipientStore } from '../alerts/recipient-store.ts';
import { createSendAlerts } from '../alerts/send-alerts.ts';
import { createSendDigest } from '../alerts/send-digest.ts';
import { createWatchBookings } from '../alerts/watch-bookings.ts';
import { createReadStatuses } from '../delivery/status/read-statuses.ts';
import { createCatalogWriter } from '../bookings/catalog-writer.ts';
import { forgetChanges } from '../bookings/audit-trail.ts';
import { forgetDeleted } from '../bookings/deleted-records.ts';
import { createDeliverReports } from '../reports/deliver-reports.ts';
import { createSendMail } from '../mail/send-mail.ts';
import { createAccountBooks } from '../ledger/read/account-books.ts';
import { createTallyBooks } from '../ledger/read/tally-books.ts';
import { createLedger } from '../ledger/ledger.ts';
import { createExpireClicks } from '../ledger/settle/expire-clicks.ts';
import { createJudgeClicks, createUnderJudgement } from '../ledger/settle/judge-clicks.ts';
import { createFold } from '../tracking/fold-hits.ts';
import { createJudgeLater } from '../tracking/judge-later.ts';
import { createPendingHits } from '../tracking/pending-hits.ts';
import { createRecoverProvisional } from '../tracking/recover-provisional.ts';
import { createTaskWebhooks } from '../agents/adcp/task-webhooks.ts';
import { composeSeller } from './compose-agents.ts';
import { composeWriter } from './compose-writer.ts';
import type { Delivery } from './compose-delivery.ts';
import type { Foundation } from './lay-foundation.ts';
import { composeSinks } from './compose-sinks.ts';
import { createRunningReplicas } from './running-replicas.ts';

/**
 * Work outside of requests: folding hits into the ledger, copying events to Postgres, comparing the
 * books, dropping old partitions.
 */
export const composeBackground = (foundation: Foundation, delivery: Delivery) => {
  const { settings, dimensions, log, observe, stores } = foundation;
  const { catalog, ledgerOptions, allowances, billingNotices, refusals, settling, requestTallies, trafficSample, decisions } = delivery;
  const { forecastWorker, nightlyForecasts, opportunityCosts, reporting, secretBox, bookkeeping } = delivery;
  const { keys } = stores;
  const fold = createFold({
    redis: stores.backgroundRedis,
    link: stores.backgroundLink,
    keys,
    ledger: createLedger({ ...ledgerOptions, redis: stores.backgroundRedis, link: stores.backgroundLink }),
    pending: createPendingHits({ knex: stores.knex }),
    booksSinceMs: bookkeeping.booksSinceMs,
    ...settling,
    onAdvanced: billingNotices.drop,
    onFolded: (hits) => log.info('Hits stored in Postgres were folded into the ledger', { hits }),
    onFailure: observe.storeFailed('fold', 'Hits could not be folded into the ledger'),
    onDead: observe.eventDied,
  });
  const judgeLater = createJudgeLater({
    link: stores.backgroundLink,
    shards: keys.shards,
    expireClicks: createExpireClicks({ redis: stores.backgroundRedis, keys }),
    judgeClicks: createJudgeClicks({
      redis: stores.backgroundRedis,
      keys,
      books: bookkeeping.books,
      provisionalRows: (clicks) => provisionalTokens(stores.knex, clicks),
    }),
    recoverProvisional: createRecoverProvisional({
      knex: stores.knex,
      pending: createPendingHits({ knex: stores.knex }),
      keys,
      underJudgement: createUnderJudgement({ redis: stores.backgroundRedis, keys }),
    }),
    onExpired: observe.clicksExpired,
    onJudged: observe.clicksJudged,
    onRecovered: (clicks) => log.warn('Redis had lost clicks under judgement; they are settled again', { clicks }),
    onFailure: observe.storeFailed('settle', 'Clicks that wait to be judged could not be judged'),
  });
  const replicas = createRunningReplicas({
    redis: stores.backgroundRedis,
    keys,
    replica: randomUUID(),
    tokenTtlMs: settings.tokenTtlMs,
    now: () => stores.backgroundLink.nowMs(0),
    onDifference: (ttlsMs) => log.warn('Replicas run with different TOKEN_TTL', { seconds: ttlsMs.map((ms) => ms / 1000) }),
  });
  const sinks = composeSinks(foundation, replicas.count);
  const eventStore = createEventStore({ knex: stores.knex });
  const eventWriter = createEventWriter({
    redis: stores.backgroundRedis,
    link: stores.backgroundLink,
    keys,
    store: eventStore,
    deadEvents: createDeadEvents({ knex: stores.knex }),
    finish: sinks.finish,
    onCarrying: bookkeeping.books.carrying,
    consumer: randomUUID(),
    flushMs: settings.rollUpIntervalMs,
    onFailure: observe.storeFailed('write_events', 'Events could not be carried into Postgres; they wait in Redis'),
    onDead: observe.eventDied,
  });
  const rollUp = createRollUp({
    knex: stores.knex,
    everyMs: settings.rollUpIntervalMs,
    onFailure: observe.storeFailed('roll_up', 'Event rows could not be counted; reports and daily counts wait'),
  });
  const books = createAccountBooks({
    redis: stores.backgroundRedis,
    keys,
    expiresAtMs: (publisherId) => catalog.current()?.expiresAtMs(publisherId) ?? Date.now() + IDLE_KEY_TTL_MS,
    daysOf: (publisherId) => catalog.current()?.daysOf(publisherId, Date.now()) ?? UTC_DAYS,
  });
  const uncounted = createUncounted();
  const mayLower = createMayLower({ knex: stores.knex, redis: stores.backgroundRedis, keys });
  const reconciler = createReconciler({
    knex: stores.knex,
    counts: createCountStore({ knex: stores.knex }),
    compareAccounts: createCompareAccounts({ knex: stores.knex, books, mayLower, uncounted }),
    compareTallies: createCompareTallies({
      ...{ knex: stores.knex, books: createTallyBooks({ redis: stores.backgroundRedis, keys }), uncounted },
    }),
    onMended: observe.mended,
    onFailure: observe.storeFailed('reconcile', 'Counts could not be compared with the event rows'),
  });
  const prune = createRounds({
    round: async () => {
      const nowMs = Date.now();
      await forgetDeleted(stores.knex, nowMs);
      if (settings.auditRetentionDays !== undefined) await forgetChanges(stores.knex, settings.auditRetentionDays, nowMs);
      const partitions = await eventStore.prune(settings.eventRetentionDays, nowMs);
      if (partitions.length > 0) log.info('Event partitions past their retention were dropped', { partitions });
    },
    pauseMs: MS_PER_HOUR,
    onFailure: observe.storeFailed('prune', 'Old event partitions could not be dropped'),
  });

  const sending = () => ({
    secretBox,
    allowPrivateAddresses: settings.bidderPrivateAddresses,
    dispatchers: createGuardedDispatchers({
      ...{ allowPrivateAddresses: settings.bidderPrivateAddresses, connections: 1, maxOrigins: 100, idleMs: 60_000 },
      ...{ connectTimeoutMs: 5_000, maxResponseBytes: 64 * 1024 },
    }),
    sendMail: settings.smtp && createSendMail(settings.smtp.url, settings.smtp.from),
  });
  const deliverReports = createDeliverReports({
    ...reporting,
    ...sending(),
    onFailure: observe.storeFailed('send_reports', 'A report could not be sent'),
  });
  const taskWebhooks =
    settings.adcp === 'off'
      ? undefined
      : createTaskWebhooks({
          seller: composeSeller(foundation, { forecasts: delivery.forecasts, writer: composeWriter(foundation, delivery) }),
          dispatchers: sending().dispatchers,
          onFailure: observe.storeFailed('task_webhooks', 'Media buys that were decided could not be read'),
          onNotSent: observe.storeFailed('task_webhooks', 'The webhook of a media buy could not be called'),
        });
  const sendingAlerts = sending();
  const readStatuses = createReadStatuses({ ...delivery, knex: stores.reportKnex, currentSnapshot: catalog.current, now: Date.now });
  const watchBookings = createWatchBookings({
    alerts: createAlertStore({ knex: stores.knex }),
    recipients: createRecipientStore({ knex: stores.knex }),
    findAlerts: createFindAlerts({
      knex: stores.reportKnex,
      readStatuses,
      shareBefore: (publisherId, atMs) => shareAt(catalog.current()?.curveAt(publisherId, atMs) ?? curveAt(atMs), atMs),
      complaintLimit: settings.complaintLimit,
    }),
    sendAlerts: createSendAlerts({ ...sendingAlerts, publicUrl: settings.publicUrl, now: Date.now }),
    digests: createDigestStore({ knex: stores.knex }),
    sendDigest: createSendDigest({ ...sendingAlerts, knex: stores.reportKnex, readStatuses, publicUrl: settings.publicUrl }),
    writer: createCatalogWriter({
      ...{ knex: stores.knex, dimensions, secretBox, goLive: catalog.reloadEverywhere },
      prepareAccounts: bookkeeping.prepareAccounts,
    }),
    dispatchers: sendingAlerts.dispatchers,
    onBlocked: observe.creativeBlocked,
    onFailure: observe.storeFailed('find_alerts', 'Alerts could not be looked for'),
    onNotSent: observe.storeFailed('send_alerts', 'Alerts could not be sent'),
  });

  const timers = [replicas, opportunityCosts];
  /** Each finishes its pass when it is stopped. */
  const passes = [
    ...[fold, judgeLater, eventWriter, prune, reconciler, allowances, refusals, requestTallies, trafficSample],
    ...[nightlyForecasts, deliverReports, watchBookings, ...(taskWebhooks ? [taskWebhooks] : [])],
  ];

  return {
    sendReportsNow: deliverReports.wake,
    replicas,
    start: (): void => {
      for (const one of [...timers, ...passes, sinks, rollUp]) one.start();
      decisions?.start();
    },
    /** Resolves when each task has finished its current pass. */
    stop: async (): Promise<void> => {
      for (const one of timers) one.stop();
      await Promise.allSettled([
        ...passes.map((one) => one.stop()),
        // The sinks are closed last.
        (decisions?.stop() ?? Promise.resolve()).then(sinks.stop),
        forecastWorker.stop(),
      ]);
      // After the last rows are stored.
      await rollUp.stop();
      // After the last lots are returned.
      await bookkeeping.stop();
    },
  };
};

export type Background = ReturnType<typeof composeBackground>;
