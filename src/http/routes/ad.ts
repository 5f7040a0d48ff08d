import type { Request, RequestHandler } from 'express';
import type { Publisher } from '../../catalog/model/entities.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { acceptsOrigin } from '../../catalog/model/origins.ts';
import type { AdAnswer, ServeAd } from '../../serving/serve-ad.ts';
import type { createAuthenticate } from '../request/authenticate.ts';
import type { DebugGrants } from '../request/debug-grants.ts';
import { CORS_HEADERS, refusePage } from '../answers/cors.ts';
import { toBytes } from '../answers/send-whole.ts';
import { createWholeAnswer } from '../answers/whole-answer.ts';
import { keyValueFaults, parseAdRequest } from '../openrtb/parse-ad-request.ts';
import type { WriteAnswer } from '../openrtb/write-answer.ts';
import type { Disclosure } from '../openrtb/write-trace.ts';
import { problem } from '../problems/problem.ts';
import { readJson } from '../request/read-json.ts';
import { toAdRequest, type ToAdRequestOptions } from '../openrtb/to-ad-request.ts';

export interface AdRouteOptions extends ToAdRequestOptions {
  readonly currentSnapshot: () => Snapshot | undefined;
  readonly serveAd: ServeAd;
  readonly authenticate: ReturnType<typeof createAuthenticate>;
  readonly writeAnswer: WriteAnswer;
  /** Who may see whole traces; undefined: every client. */
  readonly debugGrants: DebugGrants | undefined;
  readonly observe: {
    readonly requested: () => void;
    readonly answered: (answer: AdAnswer, seconds: number) => void;
  };
}

/**
 * POST /ad. The order of checks: JSON (400, 413), known key (401), the page's origin (403), schema
 * (400), the key's publisher (401), registered dimensions (400), then the decision, which always
 * answers 200.
 */
export const adRoute = (options: AdRouteOptions): RequestHandler => {
  const { currentSnapshot, serveAd, writeAnswer, authenticate, dimensions, observe } = options;
  return async function answerAdRequest(req, res) {
    const started = performance.now();
    observe.requested();
    const body = await readJson(req);
    if (!body.ok) return body.problem && refusePage(res, body.problem);
    const snapshot = currentSnapshot();
    if (!snapshot) return refusePage(res, problem('unavailable', 'The campaign data has not been loaded yet.'));
    const publisher = authenticate(snapshot, req.get('x-api-key'));
    if (!publisher) return refusePage(res, problem('unauthorized', WRONG_KEY));
    if (!acceptsOrigin(publisher.origins, req.headers.origin)) return refusePage(res, problem('origin_not_allowed', FOREIGN_ORIGIN));
    const parsed = parseAdRequest(body.value);
    if (!parsed.ok) return refusePage(res, problem('invalid_request', 'The ad request has a fault.', parsed.faults));
    const { request: wire } = parsed;
    if (wire.ext.publisher_id !== publisher.id) return refusePage(res, problem('unauthorized', WRONG_KEY));

    const faults = keyValueFaults(dimensions, wire);
    if (faults.length > 0)
      return refusePage(res, problem('invalid_dimensions', 'A registered dimension has a value outside its schema.', faults));

    const answer = await serveAd(snapshot, toAdRequest(options, snapshot, publisher, wire, req));
    sendAnswer(res, toBytes(writeAnswer(wire.id, answer, answer.trace && disclosureTo(options, req, publisher))));
    observe.answered(answer, (performance.now() - started) / 1000);
  };
};

/** How much a trace tells the sender of a request. */
export const disclosureTo = ({ debugGrants }: Pick<AdRouteOptions, 'debugGrants'>, { url }: Request, { id }: Publisher): Disclosure => {
  const grant = new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('debug_grant') ?? '';
  return !debugGrants || debugGrants.covers(grant, id) ? 'full' : 'public';
};

const WRONG_KEY = 'X-API-Key must be the key of the publisher in ext.publisher_id.';
const FOREIGN_ORIGIN = 'The publisher of this key lists the web origins of its pages, and the origin of this page is not one of them.';

const ANSWER_HEADERS = {
  ...CORS_HEADERS,
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
};
/** `res.json` would read the settings and compute an ETag that is not used. */
const sendAnswer = createWholeAnswer(Object.entries(ANSWER_HEADERS).flat());
