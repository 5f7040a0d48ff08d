import { openSnapshot, type OpenedSnapshot } from './snapshot/open-snapshot.ts';
import type { CatalogStore } from './postgres/catalog-store.ts';
import type { ChangeNotices } from './change-notice.ts';
import type { Quarantined, Snapshot } from './snapshot/snapshot.ts';
import type { CatalogLoader } from './worker/catalog-loader.ts';
import { asError } from '../base/narrow.ts';
import { within } from '../base/within.ts';

/** Reports for metrics and logs. */
export interface CatalogObserver {
  loaded?(snapshot: Snapshot, durationMs: number): void;
  loadFailed?(error: Error): void;
  /** Rows that are set aside, and were not for the same reason at the load before. */
  quarantined?(rows: readonly Quarantined[], count: number): void;
  announceFailed?(error: Error): void;
  /** The version could not be read because Postgres is unavailable. Once per outage. */
  pollFailed?(error: Error): void;
}

export interface CatalogOptions {
  readonly store: Pick<CatalogStore, 'readVersion'>;
  readonly loader: CatalogLoader;
  readonly notices: ChangeNotices;
  /** 0: only on demand, and until a load that was asked for has succeeded. */
  readonly reloadIntervalMs: number;
  /**
   * Interval at which the version in Postgres is read, which finds changes whose notice was lost. 4
   * s and a load stay within the promised 5 s.
   */
  readonly versionPollMs?: number;
  /** How long `reloadEverywhere` waits. Below 5 s, in which POST /reload promises to answer. */
  readonly answerWithinMs?: number;
  readonly now?: () => number;
  readonly observer?: CatalogObserver;
}

/** The catalog as this replica serves it. */
export const createCatalog = ({
  store,
  notices,
  loader,
  reloadIntervalMs,
  versionPollMs = 4000,
  answerWithinMs = 4500,
  now = Date.now,
  observer = {},
}: CatalogOptions) => {
  let opened: OpenedSnapshot | undefined;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let stopped = false;
  let knownQuarantine = new Set<string>();
  let pollFailing = false;
  let lastLoadFailed = false;
  const timers = new Set<NodeJS.Timeout>();

  const load = async (): Promise<void> => {
    const begunAt = performance.now();
    try {
      opened = openSnapshot(await loader.load(now()), opened);
      lastLoadFailed = false;
      observer.loaded?.(opened.snapshot, performance.now() - begunAt);
      reportQuarantined(opened.snapshot);
    } catch (fault) {
      const error = asError(fault);
      lastLoadFailed = true;
      if (!stopped) observer.loadFailed?.(error);
      throw error;
    }
  };

  const reportQuarantined = ({ quarantined, quarantinedCount }: Snapshot): void => {
    const keyOf = ({ table, id, reason }: Quarantined): string => `${table} ${id} ${reason}`;
    const fresh = quarantined.filter((row) => !knownQuarantine.has(keyOf(row)));
    knownQuarantine = new Set(quarantined.map(keyOf));
    if (fresh.length > 0) observer.quarantined?.(fresh, quarantinedCount);
  };

  const begin = (): Promise<void> => {
    next = undefined;
    const begun = load().finally(() => {
      running = undefined;
    });
    running = begun;
    return begun;
  };

  const reload = (): Promise<void> => {
    if (next !== undefined) return next;
    if (running === undefined) return begin();
    // The running load may have read before this call, so the call needs the next one, however the
    // running load ends.
    next = running.then(begin, begin);
    return next;
  };

  /**
   * For reloads without a caller. The observer has reported a failure, and a later reload makes up
   * for it.
   */
  const reloadInBackground = (): void => {
    if (!stopped) reload().catch(() => undefined);
  };

  /**
   * Runs `work` repeatedly, with the interval between one end and the next start, until the catalog
   * stops.
   */
  const repeat = (intervalMs: number, work: () => Promise<void>): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      void work().finally(() => stopped || repeat(intervalMs, work));
    }, intervalMs);
    timer.unref();
    timers.add(timer);
  };

  const pollVersion = async (): Promise<void> => {
    if (reloadIntervalMs === 0 && !lastLoadFailed) return;
    try {
      const version = await store.readVersion();
      pollFailing = false;
      // A running load may be reading that version; if not, the next poll starts another.
      if (version !== opened?.snapshot.version && running === undefined) reloadInBackground();
    } catch (fault) {
      if (!pollFailing) observer.pollFailed?.(asError(fault));
      pollFailing = true;
    }
  };

  return {
    /** undefined until the first load has succeeded. Take it once per request. */
    current: (): Snapshot | undefined => opened?.snapshot,
    /**
     * Resolves once this replica serves data that was read after the call. Calls share loads: a call
     * during a load waits, with all others like it, for the next load. Rejects when the load fails;
     * the previous snapshot then stays in use.
     */
    reload,
    /**
     * Announces a change to the other replicas and reloads: for POST /reload and after every write.
     * Rejects when this replica's reload fails, and when it is not done after 4.5 s; the load then
     * continues in the background. An announcement that hangs is not waited for longer.
     */
    reloadEverywhere: async (): Promise<void> => {
      const announced = notices.announce().catch((fault: unknown) => observer.announceFailed?.(asError(fault)));
      const deadline = performance.now() + answerWithinMs;
      await within(answerWithinMs, reload(), () => {
        throw new Error(`the catalog was not read within ${answerWithinMs} ms`);
      });
      await within(deadline - performance.now(), announced, () => undefined);
    },
    /**
     * Loads once, then keeps itself up to date. Resolves after the first attempt, successful or not;
     * a failed one is repeated.
     */
    start: async (): Promise<void> => {
      // To load thousands of line items takes the time in which their accounts are to be rebuilt.
      const onLost = reloadIntervalMs === 0 ? reloadInBackground : () => void pollVersion();
      await notices.start(reloadInBackground, onLost);
      await reload().catch(() => undefined);
      if (stopped) return;
      repeat(versionPollMs, pollVersion);
      if (reloadIntervalMs > 0) repeat(reloadIntervalMs, () => reload().catch(() => undefined));
    },
    stop: async (): Promise<void> => {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
      await Promise.all([notices.close(), loader.stop()]);
      await Promise.allSettled([running, next]);
    },
  };
};

export type Catalog = ReturnType<typeof createCatalog>;
