import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '../base/within.ts';
import { createServerDrain } from '../http/server/drain-server.ts';
import type { Log } from '../observability/log.ts';
import type { Background } from './compose-background.ts';
import type { Delivery } from './compose-delivery.ts';
import type { Foundation } from './lay-foundation.ts';

/** One replica, composed and not yet started. */
export interface Service {
  readonly server: Server;
  readonly log: Log;
  /** Loads the catalog and starts the background work. Resolves after the first attempt at each. */
  start(): Promise<void>;
  /**
   * Not ready, keeps accepting for `drainMs`, finishes requests and background work, closes the
   * stores.
   */
  stop(signal: string, drainMs: number): Promise<void>;
}

/** After the drain time: requests, then background work, then the stores. 14 s in all. */
const MAX_FINISH_MS = 8_000;
const MAX_HAND_OVER_MS = 4_000;
const MAX_CLOSE_MS = 2_000;

/** Whether a replica accepts requests: it has a snapshot and is not draining. */
export interface Readiness {
  draining: boolean;
  isReady(): boolean;
}

export interface LifecycleParts {
  readonly foundation: Foundation;
  readonly delivery: Delivery;
  readonly background: Background;
  readonly server: Server;
  readonly readiness: Readiness;
  readonly checkRedis: () => Promise<void>;
}

export const lifecycle = ({ foundation, delivery, background, server, readiness, checkRedis }: LifecycleParts): Service => {
  const { settings, log, stores } = foundation;
  const { catalog, bidders } = delivery;
  const serverDrain = createServerDrain(server);
  return {
    server,
    log,
    start: async () => {
      if (settings.production && settings.adminEnabled && settings.adminTokens.length === 0)
        log.warn('The trafficking API is open to every client: ADMIN_ENABLED is set and ADMIN_TOKEN is not');
      await catalog.start();
      void checkRedis();
      background.start();
    },
    stop: async (signal, drainMs) => {
      readiness.draining = true;
      log.info('Draining', { signal });
      // The load balancer needs time to see that the replica is not ready; until then requests are
      // answered as before.
      serverDrain.announce();
      await sleep(drainMs);
      await serverDrain.close(MAX_FINISH_MS);
      // The replica does not wait for a hanging store: another replica claims what was not handed
      // over.
      const handedOver = await endsWithin(MAX_HAND_OVER_MS, Promise.allSettled([catalog.stop(), background.stop(), bidders.close()]));
      const closed = await endsWithin(MAX_CLOSE_MS, stores.close());
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
