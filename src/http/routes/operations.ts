import type { RequestHandler } from 'express';
import { problem, sendProblem } from '../problems/problem.ts';
import { sendJson } from '../answers/send-json.ts';

const OK = { status: 'ok' };

/**
 * GET /health: the process is up. Queries no store, so that an outage of a store does not restart
 * the fleet.
 */
export const healthRoute: RequestHandler = (_req, res) => {
  sendJson(res, 200, OK);
};

/** The build that is running. */
export interface Build {
  /** Of package.json. */
  readonly version: string;
  /** The revision that the image was built from; undefined: unknown. */
  readonly commit: string | undefined;
}

/** GET /version: the build, and the version of Node that runs it. */
export const versionRoute =
  ({ version, commit }: Build): RequestHandler =>
  (_req, res) => {
    sendJson(res, 200, { version, commit, node: process.versions.node });
  };

export interface ReadyRouteOptions {
  /** undefined: ready. */
  readonly notReadyBecause: () => string | undefined;
  readonly redisUp: () => boolean;
  /** false: the thread that loads the catalog has failed; the last snapshot still serves. */
  readonly catalogWorkerUp: () => boolean;
  /** Accounts are being rebuilt, because Redis lost data. */
  readonly booksRebuilding: () => boolean;
}

/**
 * GET /ready: 200 when the load balancer should send requests: after the first snapshot and before
 * shutdown begins. Without Redis it is still 200, because line items without limits serve and hits
 * are kept in Postgres, and without the catalog worker the last snapshot serves; the status is then
 * `degraded`. `books`: line items with limits serve as soon as their accounts are rebuilt.
 */
export const readyRoute =
  ({ notReadyBecause, redisUp, catalogWorkerUp, booksRebuilding }: ReadyRouteOptions): RequestHandler =>
  (_req, res) => {
    const reason = notReadyBecause();
    if (reason !== undefined) return sendProblem(res, problem('unavailable', `Not ready: ${reason}.`));
    const degraded = { ...(!redisUp() && { redis: 'unavailable' }), ...(!catalogWorkerUp() && { catalog: 'not updated' }) };
    const status = Object.keys(degraded).length === 0 ? OK : { status: 'degraded', ...degraded };
    sendJson(res, 200, booksRebuilding() ? { ...status, books: 'rebuilding' } : status);
  };

/**
 * POST /reload: 204 once this replica serves data read after the call; 503 when the read failed or
 * takes longer than 5 s, and the old data stays until a read succeeds.
 */
export const reloadRoute =
  (reloadEverywhere: () => Promise<void>): RequestHandler =>
  async (_req, res) => {
    try {
      await reloadEverywhere();
    } catch {
      // The catalog has counted and logged the error.
      return sendProblem(res, problem('unavailable', 'The catalog could not be read within 5 s. The previous data stays in use.'));
    }
    res.writeHead(204, { 'Cache-Control': 'no-store' }).end();
  };

/** GET /metrics: Prometheus text exposition. */
export const metricsRoute =
  (render: () => Promise<{ readonly contentType: string; readonly body: string }>): RequestHandler =>
  async (_req, res) => {
    const { contentType, body } = await render();
    res.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-store', 'Content-Length': Buffer.byteLength(body) }).end(body);
  };
