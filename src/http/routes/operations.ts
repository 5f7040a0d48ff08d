import type { RequestHandler } from 'express';
import { problem, sendProblem } from '../problems/problem.ts';

const JSON_HEADERS = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' };
const OK = JSON.stringify({ status: 'ok' });

/** GET /health: the process answers. It asks no store, so that a store's outage does not restart the fleet. */
export const healthRoute: RequestHandler = (_req, res) => {
  res.writeHead(200, { ...JSON_HEADERS, 'Content-Length': OK.length }).end(OK);
};

/** GET /ready: whether the load balancer should send requests: after the first snapshot, and not while draining. */
export const readyRoute =
  (isReady: () => boolean): RequestHandler =>
  (_req, res) => {
    if (!isReady()) return sendProblem(res, problem('unavailable', 'Not ready: no campaign data yet, or draining.'));
    res.writeHead(200, { ...JSON_HEADERS, 'Content-Length': OK.length }).end(OK);
  };

/** POST /reload: 204 once this replica serves data read after the call; 503 when it could not be read, and the old data stays. */
export const reloadRoute =
  (reloadEverywhere: () => Promise<void>): RequestHandler =>
  async (_req, res) => {
    try {
      await reloadEverywhere();
    } catch {
      // The catalog has counted and logged why.
      return sendProblem(res, problem('unavailable', 'The campaign data could not be read; the old data stays.'));
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
