import type { Server } from 'node:http';

/** The end of a server in two steps, so that a load balancer can look elsewhere before a connection is refused. */
export interface ServerDrain {
  /** From now on every answer closes its connection: clients that hold one open move on by themselves. */
  announce(): void;
  /** Stops listening at once, lets what is under way finish, and after `graceMs` cuts what has not. Resolves when no connection is left. */
  close(graceMs: number): Promise<void>;
}

const IDLE_CHECK_MS = 25;

/** Costs nothing until `announce`: the listener is not there before. */
export const createServerDrain = (server: Server): ServerDrain => {
  let announced = false;
  return {
    announce: () => {
      if (announced) return;
      announced = true;
      // Ahead of Express, because the header is written with the answer.
      server.prependListener('request', (_req, res) => {
        res.shouldKeepAlive = false;
      });
    },
    close: async (graceMs) => {
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // An answer that was begun before the announcement leaves its connection open and idle.
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
      const late = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearInterval(idle);
      clearTimeout(late);
    },
  };
};
