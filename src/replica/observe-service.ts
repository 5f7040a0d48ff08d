import type { BidderObserver } from '../bidders/bidder-observer.ts';
import type { CatalogObserver } from '../catalog/catalog.ts';
import { reasonName } from '../decision/no-bid-reason.ts';
import type { Hit } from '../ledger/hit.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics, StoreWork } from '../observability/metrics.ts';
import type { AdAnswer } from '../serving/serve-ad.ts';
import type { HitOutcome } from '../tracking/record-hit.ts';

/** What happens in the service, told once, at its edge, in words of the trade: here it becomes metrics and log lines. */
export const observeService = ({ log, metrics }: { readonly log: Log; readonly metrics: Metrics }) => {
  const lastLogged = new Map<string, number>();
  /** An outage fails thousands of times a second and is worth one line in ten seconds. */
  const logFault = (what: string, fault: Error): void => {
    const now = performance.now();
    if (now - (lastLogged.get(what) ?? -Infinity) < 10_000) return;
    lastLogged.set(what, now);
    log.warn(what, { error: fault.name, reason: fault.message });
  };

  const catalog: CatalogObserver = {
    loaded: ({ version, quarantinedCount }, durationMs) => {
      metrics.reload('success', durationMs / 1000);
      log.debug('the catalog was loaded', { version, quarantined: quarantinedCount, milliseconds: Math.round(durationMs) });
    },
    loadFailed: (fault) => {
      metrics.error();
      metrics.reload('failure', 0);
      logFault('the catalog could not be loaded; the last snapshot goes on serving', fault);
    },
    quarantined: (rows, count) => log.warn('rows of the catalog do not hold and are left out', { count, rows: rows.slice(0, 20) }),
    announceFailed: (fault) => logFault('other replicas could not be told of a change; they will see it when they poll', fault),
    pollFailed: (fault) => logFault('the version of the catalog could not be read', fault),
  };

  const bidders: BidderObserver = {
    call: (outcome, durationMs) => metrics.bidderCall(outcome, durationMs / 1000),
    bid: metrics.bid,
    circuit: metrics.bidderCircuit,
    notice: (kind, outcome) => metrics.bidderNotice(kind, outcome),
  };

  return {
    catalog,
    bidders,
    ad: {
      requested: metrics.adRequest,
      answered: ({ bids, nonbids }: AdAnswer, seconds: number): void => {
        metrics.selectionTook(seconds);
        for (let i = 0; i < bids.length; i++) metrics.served();
        for (const { nbr } of nonbids) metrics.noBid(reasonName(nbr));
      },
    },
    track: {
      refused: metrics.trackingRefused,
      recorded: ({ kind, eventType, invalidReason }: Hit, outcome: HitOutcome): void => {
        if (outcome === 'duplicate') metrics.duplicateHit(kind);
        if (outcome === 'unavailable') metrics.trackingRefused('unavailable');
        if (outcome !== 'counted') return;
        if (invalidReason !== '') metrics.invalidTraffic(kind, invalidReason);
        if (invalidReason === 'prefetch') return;
        if (kind === 'impression') metrics.impression();
        else if (kind === 'click') metrics.click();
        else metrics.customEvent(eventType);
      },
    },
    settled: (foundHold: boolean): void => {
      if (!foundHold) metrics.settledWithoutHold();
    },
    storeFailed: (work: StoreWork, what: string, fault: Error): void => {
      metrics.error();
      metrics.storeFailure(work);
      logFault(what, fault);
    },
  };
};
