import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '../base/within.ts';
import { createServerDrain } from '../http/server/drain-server.ts';
import type { People } from '../people/create-people.ts';
import { claimOf, claimRedis } from './claim-redis.ts';
import type { Background } from './compose-background.ts';
import type { Delivery } from './compose-delivery.ts';
import type { Foundation } from './lay-foundation.ts';

/** How long a start waits for Redis before it goes on without. */
const MAX_CLAIM_MS = 1_000;
/** After the drain time: requests, then background work, then the stores. 14 s in all. */
const MAX_FINISH_MS = 8_000;
const MAX_HAND_OVER_MS = 4_000;
const MAX_CLOSE_MS = 2_000;

/** Whether a replica accepts requests: it has a snapshot and is not draining. */
export interface Readiness {
  draining: boolean;
  /** What the first snapshot waits for. */
  waitingFor: string;
  /** undefined: ready. */
  notReadyBecause(): string | undefined;
}

export const createReadiness = (hasSnapshot: () => boolean): Readiness => {
  const readiness: Readiness = {
    draining: false,
    waitingFor: 'the database has not been reached yet',
    notReadyBecause: () => {
      if (readiness.draining) return 'the replica is shutting down';
      return hasSnapshot() ? undefined : readiness.waitingFor;
    },
  };
  return readiness;
};

export interface LifecycleParts {
  readonly foundation: Foundation;
  readonly delivery: Delivery;
  readonly background: Background;
  readonly people: Pick<People, 'offerFirst'>;
  readonly server: Server;
  readonly readiness: Readiness;
  readonly checkRedis: () => Promise<void>;
}

/** One replica, composed and not yet started. */
export const lifecycle = ({ foundation, delivery, background, people, server, readiness, checkRedis }: LifecycleParts) => {
  const { settings, log, stores, tracing } = foundation;
  const { catalog, bidders } = delivery;
  const serverDrain = createServerDrain(server);
  const booksFailed = foundation.observe.storeFailed(
    'rebuild',
    'It could not be checked whether Redis has all counters; it is tried again',
  );
  const firstFailed = foundation.observe.storeFailed('trafficking', 'The link of the first administrator could not be made');
  return {
    server,
    log,
    /** Says on /ready why the replica does not start yet. */
    waitFor: (reason: string): void => {
      readiness.waitingFor = reason;
    },
    /**
     * Claims Redis, loads the catalog and starts the background work. Resolves after the first
     * attempt at each.
     *
     * @param onRefused called when Redis turns out to hold the counters of another installation or
     *   layout: the replica must stop
     */
    start: async (onRefused: () => void): Promise<void> => {
      readiness.waitingFor = 'the catalog is not loaded yet';
      if (settings.adminClosedBecause !== undefined) log.warn(`The trafficking tool is closed: ${settings.adminClosedBecause}`);
      // Before the clock of Redis runs: a slow Postgres must not make the replica ready before Redis could refuse it.
      const claim = await claimOf(stores);
      const claimed = claimRedis(stores, claim).then(async () => {
        // Not before: the event writer and the fold would take another installation's events.
        if (readiness.draining) return true;
        // Until it is known what Redis has, line items with limits do not serve.
        await delivery.bookkeeping.start().catch(booksFailed);
        background.start();
        return true;
      });
      const isClaimed = claimed.catch((fault: Error) => {
        readiness.waitingFor = 'Redis holds the counters of another installation or LEDGER_SHARDS';
        log.error(fault.message);
        if (!readiness.draining) onRefused();
        return false;
      });
      // An unavailable Redis is waited for in the background.
      if (!(await within(MAX_CLAIM_MS, isClaimed, () => true))) return;
      await catalog.start();
      void checkRedis();
      if (settings.adminEnabled && settings.adminClosedBecause === undefined)
        await people.offerFirst((text) => void process.stdout.write(text)).catch(firstFailed);
    },
    /**
     * Not ready, keeps accepting for `drainMs`, finishes requests and background work, closes the
     * stores.
     */
    stop: async (cause: string, drainMs: number): Promise<void> => {
      readiness.draining = true;
      log.info('Draining', { cause });
      // The load balancer needs time to see that the replica is not ready; until then requests are
      // answered as before.
      serverDrain.announce();
      await sleep(drainMs);
      await serverDrain.close(MAX_FINISH_MS);
      // The replica does not wait for a hanging store: another replica claims what was not handed
      // over.
      const handedOver = await endsWithin(MAX_HAND_OVER_MS, Promise.allSettled([catalog.stop(), background.stop(), bidders.close()]));
      const closed = await endsWithin(MAX_CLOSE_MS, Promise.all([stores.close(), tracing?.close()]));
      log.info('Stopped', { handedOver, closed });
    },
  };
};

const endsWithin = (limitMs: number, work: Promise<unknown>): Promise<boolean> =>
  within(
    limitMs,
    work.then(() => true),
    () => false,
  );
