import type { DimensionSchema } from '../targeting/dimension-schema.ts';
import { buildSnapshot } from './snapshot/build-snapshot.ts';
import type { CatalogStore } from './postgres/catalog-store.ts';
import type { ChangeNotices } from './change-notice.ts';
import type { Quarantined, Snapshot } from './snapshot/snapshot.ts';
import { asError } from '../base/narrow.ts';
import { within } from '../base/within.ts';

/** What is booked, as this replica serves it. */
export interface Catalog {
  /** undefined until the first load has succeeded. Take it once per request. */
  current(): Snapshot | undefined;
  /**
   * Resolves once data read after the call is being served by this replica. Calls share loads: one that comes during a load waits for the
   * next, together with all others that do. Rejects when the load fails; the old snapshot then goes on serving.
   */
  reload(): Promise<void>;
  /** Tells the other replicas to reload, then reloads: for POST /reload and after every write. Rejects only when the own reload fails. */
  reloadEverywhere(): Promise<void>;
  /** Loads once and keeps itself up to date. Resolves after the first attempt, whether it succeeded or not: it is then tried again. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** What the catalog tells whoever watches it; metrics and logs hang here. */
export interface CatalogObserver {
  loaded?(snapshot: Snapshot, durationMs: number): void;
  loadFailed?(error: Error): void;
  /** Rows that were set aside and had not been, for the same reason, at the load before. */
  quarantined?(rows: readonly Quarantined[], count: number): void;
  announceFailed?(error: Error): void;
  /** The database's version could not be read: Postgres is away. Once per outage. */
  pollFailed?(error: Error): void;
}

export interface CatalogOptions {
  readonly store: CatalogStore;
  readonly notices: ChangeNotices;
  readonly dimensions: DimensionSchema;
  /** 0: only on demand. */
  readonly reloadIntervalMs: number;
  /** How often the version in Postgres is looked at, which finds what no notice told. 4 s and a load stay within the 5 s promised. */
  readonly versionPollMs?: number;
  /** A load that takes longer counts as failed, so that a hung connection cannot stop reloading for good. */
  readonly loadTimeoutMs?: number;
  readonly now?: () => number;
  readonly observer?: CatalogObserver;
}

export const createCatalog = ({
  store,
  notices,
  dimensions,
  reloadIntervalMs,
  versionPollMs = 4000,
  loadTimeoutMs = 60_000,
  now = Date.now,
  observer = {},
}: CatalogOptions): Catalog => {
  let snapshot: Snapshot | undefined;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let stopped = false;
  let knownQuarantine = new Set<string>();
  let pollFailing = false;
  const timers = new Set<NodeJS.Timeout>();

  const load = async (): Promise<void> => {
    const begunAt = performance.now();
    try {
      const loaded = await within(
        loadTimeoutMs,
        store.readAll((reading) => buildSnapshot(reading, { dimensions, previous: snapshot, nowMs: now() })),
        () => {
          throw new Error(`loading the catalog took longer than ${loadTimeoutMs} ms`);
        },
      );
      snapshot = loaded;
      observer.loaded?.(loaded, performance.now() - begunAt);
      tellQuarantined(loaded);
    } catch (fault) {
      const error = asError(fault);
      observer.loadFailed?.(error);
      throw error;
    }
  };

  const tellQuarantined = ({ quarantined, quarantinedCount }: Snapshot): void => {
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
    // The running load may have read before this call, so it does not count for it; how it ends does not matter either.
    next = running.then(begin, begin);
    return next;
  };

  /** For reloads that nobody waits for; a failure has been told to the observer and is made good by a later one. */
  const reloadInBackground = (): void => {
    if (!stopped) reload().catch(() => undefined);
  };

  /** Runs `work` over and over, the pause counted from its end, until the catalog is stopped. */
  const repeat = (intervalMs: number, work: () => Promise<void>): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      void work().finally(() => stopped || repeat(intervalMs, work));
    }, intervalMs);
    timer.unref();
    timers.add(timer);
  };

  const pollVersion = async (): Promise<void> => {
    try {
      const version = await store.readVersion();
      pollFailing = false;
      // A load under way may well be reading that version; if not, the next look finds out.
      if (version !== snapshot?.version && running === undefined) reloadInBackground();
    } catch (fault) {
      if (!pollFailing) observer.pollFailed?.(asError(fault));
      pollFailing = true;
    }
  };

  return {
    current: () => snapshot,
    reload,
    reloadEverywhere: async () => {
      const told = notices.announce().catch((fault: unknown) => observer.announceFailed?.(asError(fault)));
      await reload();
      await told;
    },
    start: async () => {
      await notices.start(reloadInBackground);
      await reload().catch(() => undefined);
      if (stopped) return;
      repeat(versionPollMs, pollVersion);
      if (reloadIntervalMs > 0) repeat(reloadIntervalMs, () => reload().catch(() => undefined));
    },
    stop: async () => {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
      await notices.close();
      await Promise.allSettled([running, next]);
    },
  };
};
