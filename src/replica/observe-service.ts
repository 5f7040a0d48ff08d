import { labelOfEvent } from '../catalog/model/video-events.ts';
import { LRUCache } from 'lru-cache';
import type { BidderObserver } from '../bidders/bidder-observer.ts';
import type { CatalogObserver } from '../catalog/catalog.ts';
import { reasonName } from '../decision/no-bid-reason.ts';
import { EPOCH_REASONS } from '../events/books/judge-content.ts';
import type { DeadEvent } from '../events/postgres/dead-events.ts';
import type { BookEpoch } from '../events/postgres/book-store.ts';
import type { Books } from '../events/postgres/reconciliation.ts';
import { PROVISIONAL, type Hit, type HitKind, type Settled } from '../ledger/hit.ts';
import type { ExpiredHits } from '../ledger/settle/expire-clicks.ts';
import type { JudgedClicks } from '../ledger/settle/judge-clicks.ts';
import type { LedgerScript } from '../ledger/ledger.ts';
import type { Log, LogFields } from '../observability/log.ts';
import type { Metrics, StoreWork } from '../observability/metrics.ts';
import type { AdAnswer } from '../serving/serve-ad.ts';
import type { HitOutcome } from '../tracking/record-hit.ts';
import type { SignInOutcome, SignInWay } from '../people/accounts/sign-in.ts';
import type { AdminRefusal } from '../people/admin-gate.ts';

/** Turns the events of the service into metrics and log lines. No other place does. */
export const observeService = ({ log, metrics }: { readonly log: Log; readonly metrics: Metrics }) => {
  /** What was logged in the last ten seconds. Networks of clients are in it, so it is bounded. */
  const lately = new LRUCache<string, true>({ max: 1_000, ttl: 10_000 });
  /** An outage fails thousands of times a second; one log line in ten seconds is enough. */
  const logRarely = (what: string, write: () => void): void => {
    if (lately.has(what)) return;
    lately.set(what, true);
    write();
  };
  const logFault = (what: string, fault: Error, fields: LogFields = {}): void =>
    logRarely(what, () => log.warn(what, { ...fields, error: fault.name, reason: fault.message }));

  /** The handler of one kind of work that a store failed: `message` is the log line. */
  const storeFailed =
    (work: StoreWork, message: string) =>
    (fault: Error, fields?: LogFields): void => {
      metrics.error();
      metrics.storeFailure(work);
      logFault(message, fault, fields);
    };

  const filtered = (kind: HitKind, reason: string): void => {
    metrics.grossHit(kind);
    metrics.invalidTraffic(kind, reason);
  };
  /** It is gross from now on; what it is judged to be comes later. */
  const provisional = (kind: HitKind): void => {
    metrics.grossHit(kind);
    metrics.provisionalHit(kind);
  };
  const counted = (kind: HitKind, eventType: string): void => {
    metrics.grossHit(kind);
    if (kind === 'impression') metrics.impression();
    else if (kind === 'click') metrics.click();
    else metrics.customEvent(labelOfEvent(eventType));
  };

  const catalog: CatalogObserver = {
    loaded: ({ version, quarantinedCount }, durationMs) => {
      metrics.reload('success', durationMs / 1000);
      log.debug('The catalog was loaded', { version, quarantined: quarantinedCount, milliseconds: Math.round(durationMs) });
    },
    loadFailed: (fault) => {
      metrics.error();
      metrics.reload('failure', 0);
      logFault('The catalog could not be loaded; the last snapshot is still served', fault);
    },
    quarantined: (rows, count) => log.warn('Catalog rows are invalid and were set aside', { count, rows: rows.slice(0, 20) }),
    announceFailed: (fault) => logFault('A change could not be announced; other replicas will find it when they poll', fault),
    pollFailed: (fault) => logFault('The version of the catalog could not be read', fault),
  };

  const bidders: BidderObserver = {
    call: (outcome, durationMs) => metrics.bidderCall(outcome, durationMs / 1000),
    bid: metrics.bid,
    circuit: metrics.bidderCircuit,
    step: metrics.bidderStep,
    impression: ({ placementId, dealId }, step) => {
      if (dealId === undefined) metrics.placementStep(placementId, step);
      else metrics.dealStep(dealId, step);
    },
    askedShare: metrics.bidderShare,
    notice: (kind, outcome) => metrics.bidderNotice(kind, outcome),
  };

  return {
    catalog,
    catalogWorkerFailed: (fault: Error): void => {
      metrics.error();
      log.error('The catalog worker ended and is started again; the last snapshot is still served', { reason: fault.message });
    },
    bidders,
    ad: {
      requested: metrics.adRequest,
      answered: ({ filled, unfilled }: AdAnswer, seconds: number): void => {
        metrics.selectionTook(seconds);
        for (let i = 0; i < filled.length; i++) metrics.served();
        for (const { reason } of unfilled) metrics.noBid(reasonName(reason));
      },
    },
    track: {
      refused: metrics.trackingRefused,
      recorded: ({ kind }: Hit, outcome: HitOutcome): void => {
        if (outcome === 'duplicate') metrics.duplicateHit(kind);
        if (outcome === 'unavailable') metrics.trackingRefused('unavailable');
      },
    },
    settled: ({ ad, kind, eventType, invalidReason, restored }: Hit, { outcome, foundHold, reason, click, event }: Settled): void => {
      // Metrics count a hit once, as it was judged when it came.
      if (restored) return;
      if (outcome === 'filtered') filtered(kind, reason ?? invalidReason);
      if (outcome === PROVISIONAL) provisional(kind);
      if (click === 'counted') counted('click', '');
      else if (click === PROVISIONAL) provisional('click');
      else if (click !== undefined) filtered('click', click);
      if (event !== undefined && event !== 'counted') filtered('event', event);
      // The event that bills is named after its type.
      if (event === 'counted') counted('event', ad.billsOn);
      if (outcome !== 'counted') return;
      if (!foundHold) metrics.settledWithoutHold();
      counted(kind, eventType);
    },
    clicksExpired: ({ clicks, viewable }: ExpiredHits): void => {
      for (let i = 0; i < clicks; i++) filtered('click', 'no_impression');
      for (let i = 0; i < viewable; i++) filtered('event', 'no_impression');
    },
    clicksJudged: ({ billed, filtered: refused }: JudgedClicks): void => {
      for (let i = 0; i < billed; i++) metrics.click();
      for (let i = 0; i < refused; i++) metrics.invalidTraffic('click', 'activity');
    },
    storeFailed,
    exportFailed: (fault: Error): void => logFault('Traces could not be exported', fault),
    eventDied: ({ source, shard, entryId, sqlState, reason }: DeadEvent): void => {
      metrics.deadEvent();
      log.error('An event cannot be stored and was put into dead_events', { source, shard, entryId, sqlState, reason });
    },
    creativeBlocked: (creativeId: number): void => log.warn('A creative was blocked because clients reported malware', { creativeId }),
    mended: (books: Books, differences: number): void => {
      for (let i = 0; i < differences; i++) metrics.driftMended(books);
      log.warn('Counts that differed from the event rows were corrected', { books, differences });
    },
    booksBegun: ({ scope, state, reason }: BookEpoch): void => {
      // After a restart nothing may be lost.
      const say = reason === EPOCH_REASONS.restarted ? log.warn : log.error;
      if (state === 'rebuilding')
        say('Counters are rebuilt from Postgres; until then line items with limits do not serve', { scope, reason });
    },
    countsCarried: (accounts: number): void =>
      log.error('Postgres was restored to an earlier state: what Redis has counted since stays counted towards caps and budgets', {
        accounts,
      }),
    booksRebuilt: (scope: number, tookMs: number): void =>
      log.info('All counters are rebuilt', { scope, milliseconds: Math.round(tookMs) }),
    /** Clients without a token are the rule: the page calls the API before it asks for one. */
    adminRefused: (reason: AdminRefusal, network: string): void => {
      metrics.adminRefused(reason);
      if (reason !== 'no_token')
        logRarely(`${reason} ${network}`, () => log.warn('A call of the trafficking API was refused', { reason, network }));
    },
    signIn: (method: SignInWay, outcome: SignInOutcome, network: string): void => {
      metrics.signIn(method, outcome);
      const isRefused = outcome === 'failed' || outcome === 'too_many';
      if (isRefused) logRarely(`sign-in ${outcome} ${network}`, () => log.warn('A sign-in was refused', { method, outcome, network }));
    },
    providerFailed: (fault: Error, fields: LogFields = {}): void =>
      logFault('A sign-in provider did not answer as it should', fault, fields),
    allowances: {
      decided: metrics.decided,
      granted: metrics.lotsGranted,
      returned: metrics.lotsReturned,
    },
    ledgerFailed: (script: LedgerScript, fault: Error): void => storeFailed(script, `Redis did not answer ${script}`)(fault),
  };
};
