import type { Server } from 'node:http';

const IDLE_CHECK_MS = 25;

/**
 * Shuts a server down in two steps, so that a load balancer can switch away before connections are
 * refused. Costs nothing until `announce` adds its listener.
 */
export const createServerDrain = (server: Server) => {
  let announced = false;
  return {
    /**
     * From now on every response closes its connection, so that clients with open connections
     * reconnect elsewhere.
     */
    announce: (): void => {
      if (announced) return;
      announced = true;
      // Before Express, because the header is written with the response.
      server.prependListener('request', (_req, res) => {
        res.shouldKeepAlive = false;
      });
    },
    /**
     * Stops listening, waits for requests under way, and closes the rest after `graceMs`. Resolves
     * when no connection is left.
     */
    close: async (graceMs: number): Promise<void> => {
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
