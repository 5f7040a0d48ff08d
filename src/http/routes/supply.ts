import type { RequestHandler, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { asError } from '../../base/narrow.ts';
import { writeAdsTxt } from '../../bidders/supply/ads-txt.ts';
import { sellersOf } from '../../bidders/supply/sellers-json.ts';
import type { PublisherSupply } from '../../catalog/postgres/read-supply.ts';
import type { LogFields } from '../../observability/log.ts';
import { sendJson } from '../answers/send-json.ts';
import { problem, sendProblem } from '../problems/problem.ts';

export interface SupplyRouteOptions {
  readonly readSupply: () => Promise<readonly PublisherSupply[]>;
  readonly onFailure: (fault: Error, fields: LogFields) => void;
}

/** Postgres is read at most so often; while it is away, the last reading is answered. */
const FRESH_MS = 60_000;
const CACHE = { 'Cache-Control': `public, max-age=${FRESH_MS / 1000}` };

/**
 * GET /ads.txt?publisher={id}: the records that the publisher's ads.txt needs; a site may redirect
 * its own to it. GET /sellers.json: who is paid at this service's accounts; `asi` selects one
 * advertising system where bidders name several.
 */
export const supplyRoutes = ({ readSupply, onFailure }: SupplyRouteOptions): Readonly<Record<'adsTxt' | 'sellersJson', RequestHandler>> => {
  const kept = new LRUCache<'supply', readonly PublisherSupply[]>({
    max: 1,
    ttl: FRESH_MS,
    fetchMethod: readSupply,
    allowStaleOnFetchRejection: true,
    noDeleteOnFetchRejection: true,
  });
  const withSupply = (answer: (supplies: readonly PublisherSupply[], query: Query, res: Response) => void): RequestHandler =>
    async function answerSupply(req, res) {
      const supplies = await kept.fetch('supply').catch((fault: unknown) => onFailure(asError(fault), {}));
      if (!supplies) return sendProblem(res, problem('unavailable', 'The bookings could not be read. Try again later.'));
      answer(supplies, req.query, res);
    };
  return {
    adsTxt: withSupply((supplies, { publisher }, res) => {
      const [only] = supplies;
      const supply = publisher === undefined && supplies.length === 1 ? only : supplies.find(({ id }) => String(id) === publisher);
      if (!supply) return sendProblem(res, publisher === undefined ? NO_PUBLISHER : UNKNOWN_PUBLISHER);
      const text = writeAdsTxt(supply);
      res.writeHead(200, { ...CACHE, 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': Buffer.byteLength(text) }).end(text);
    }),
    sellersJson: withSupply((supplies, { asi }, res) => {
      const sellers = [...sellersOf(supplies)].flatMap(([system, some]) => (asi === undefined || asi === system ? some : []));
      sendJson(res, 200, { version: '1.0', sellers }, CACHE);
    }),
  };
};

type Query = Readonly<Record<string, unknown>>;

const NO_PUBLISHER = problem('invalid_request', 'publisher must be the id of a publisher, as in /ads.txt?publisher=1.');
const UNKNOWN_PUBLISHER = problem('not_found', 'There is no publisher with this id.');
