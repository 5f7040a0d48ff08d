import type { RequestHandler } from 'express';
import { isCountryCode } from '../../catalog/checks/country-codes.ts';
import { DEVICES, type Device } from '../../catalog/model/entities.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { parseAdRequest } from '../../http/openrtb/parse-ad-request.ts';
import type { Fault } from '../../base/fault.ts';
import { problem, sendProblem } from '../../http/problems/problem.ts';
import { readJson } from '../../http/body/read-json.ts';
import { toAdRequest, type ToAdRequestOptions } from '../../http/openrtb/to-ad-request.ts';
import type { AdRequest } from '../../serving/ad-request.ts';
import type { AdAnswer } from '../../serving/serve-ad.ts';
import { checkDimensions } from '../../targeting/check-dimensions.ts';
import { sendJson } from '../send-json.ts';
import type { TestAd } from './test-ad.ts';

export interface TestAdRouteOptions extends ToAdRequestOptions {
  readonly currentSnapshot: () => Snapshot | undefined;
  readonly testAd: TestAd;
}

/**
 * POST /api/test_ad: the body of POST /ad, its publisher taken from `ext.publisher_id` without a key, and if wanted `context { country, device }` in the place
 * of what address and user agent say. Answers what POST /ad?debug=1 would, without tracking URLs: nothing is served, counted or billed.
 */
export const testAdRoute =
  (options: TestAdRouteOptions): RequestHandler =>
  async (req, res) => {
    const body = await readJson(req);
    if (!body.ok) return body.problem && sendProblem(res, body.problem);
    const parsed = parseAdRequest(body.value);
    const contextFaults = faultsOfContext(body.value);
    if (!parsed.ok) return sendProblem(res, problem('invalid_request', 'The request has faults.', [...parsed.faults, ...contextFaults]));

    const snapshot = options.currentSnapshot();
    if (!snapshot) return sendProblem(res, problem('unavailable', 'The campaign data has not been loaded yet.'));
    const { request: wire } = parsed;
    const publisher = snapshot.publishers.get(wire.ext.publisher_id);
    const faults = [
      ...(publisher ? [] : [{ pointer: '/ext/publisher_id', detail: 'is no publisher that is loaded' }]),
      ...checkDimensions(options.dimensions, wire.ext.kv ?? {}, { pointer: '/ext/kv', unregistered: 'allowed' }),
      ...contextFaults,
    ];
    if (!publisher || faults.length > 0) return sendProblem(res, problem('invalid_request', 'The request has faults.', faults));

    const request = inContext(toAdRequest(options, snapshot, publisher, wire, req), contextOf(body.value));
    sendJson(res, 200, answerOf(wire.id, await options.testAd(snapshot, request)));
  };

interface Context {
  readonly country?: unknown;
  readonly device?: unknown;
}

const contextOf = (body: unknown): Context => {
  const { context } = body as { readonly context?: unknown };
  return typeof context === 'object' && context !== null ? context : {};
};

const faultsOfContext = (body: unknown): readonly Fault[] => {
  if (typeof body !== 'object' || body === null) return [];
  const { country, device } = contextOf(body);
  return [
    ...(country === undefined || (typeof country === 'string' && isCountryCode(country))
      ? []
      : [{ pointer: '/context/country', detail: 'must be an ISO 3166-1 alpha-2 country code' }]),
    ...(device === undefined || DEVICES.includes(device as Device)
      ? []
      : [{ pointer: '/context/device', detail: `must be one of ${DEVICES.join(', ')}` }]),
  ];
};

const inContext = (request: AdRequest, { country, device }: Context): AdRequest => {
  const chosen = {
    ...(country === undefined ? {} : { country: country as string }),
    ...(device === undefined ? {} : { device: device as Device }),
  };
  return {
    ...request,
    query: { ...request.query, targeting: { ...request.query.targeting, ...chosen } },
    bidContext: { ...request.bidContext, ...chosen },
  };
};

const answerOf = (id: string, { bids, nonbids, nbr, trace }: AdAnswer): object => ({
  id,
  cur: 'USD',
  seatbid: bids.length > 0 ? [{ bid: bids.map(withoutTracking) }] : [],
  ...(nbr === undefined ? {} : { nbr }),
  ...(nonbids.length > 0 ? { ext: { nonbid: nonbids } } : {}),
  debug: { trace },
});

/** A bid that nobody reserved has no id, and no URLs to report to. */
const withoutTracking = (text: string): object => {
  const {
    id: _id,
    impurl: _imp,
    clkurl: _clk,
    evturl: _evt,
    repturl: _rept,
    ...bid
  } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  return bid;
};
