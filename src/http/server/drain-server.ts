import type { Server } from 'node:http';

/**
 * Shuts a server down in two steps, so that a load balancer can switch away before connections are
 * refused.
 */
export interface ServerDrain {
  /**
   * From now on every response closes its connection, so that clients with open connections
   * reconnect elsewhere.
   */
  announce(): void;
  /**
   * Stops listening, waits for requests under way, and closes the rest after `graceMs`. Resolves
   * when no connection is left.
   */
  close(graceMs: number): Promise<void>;
}

const IDLE_CHECK_MS = 25;

/** Costs nothing until `announce` adds its listener. */
export const createServerDrain = (server: Server): ServerDrain => {
  let announced = false;
  return {
    announce: () => {
      if (announced) return;
      announced = true;
      // Before Express, because the header is written with the response.
      server.prependListener('request', (_req, res) => {
        res.shouldKeepAlive = false;
      });
    },
    close: async (graceMs) => {
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A response begun before the announcement leaves its connection open and idle.
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
      const late = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearInterval(idle);
      clearTimeout(late);
    },
  };
};
