import type { RequestHandler } from 'express';
import { isCountryCode } from '../../catalog/checks/country-codes.ts';
import { DEVICES, type Device } from '../../catalog/model/entities.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { keyValueFaults, parseAdRequest } from '../../http/openrtb/parse-ad-request.ts';
import type { Fault } from '../../base/fault.ts';
import { problem, sendProblem } from '../../http/problems/problem.ts';
import { readJson } from '../../http/request/read-json.ts';
import { toAdRequest, type ToAdRequestOptions } from '../../http/openrtb/to-ad-request.ts';
import type { WriteAnswer } from '../../http/openrtb/write-answer.ts';
import type { ServeAd } from '../../serving/serve-ad.ts';
import { sendJsonText } from '../../http/answers/send-json.ts';

export interface TestAdRouteOptions extends ToAdRequestOptions {
  readonly currentSnapshot: () => Snapshot | undefined;
  /** The decision with a dry ledger and with bidders that receive no notices. */
  readonly dryServeAd: ServeAd;
  /** Without tracking. */
  readonly writeAnswer: WriteAnswer;
}

/**
 * POST /api/test_ad: the body of POST /ad; its publisher is `ext.publisher_id`, without a key. An
 * optional `context { country, device }` replaces the values from address and user agent. Answers
 * as POST /ad?debug=1 would, without tracking URLs: nothing is served, counted or billed.
 */
export const testAdRoute =
  (options: TestAdRouteOptions): RequestHandler =>
  async (req, res) => {
    const body = await readJson(req);
    if (!body.ok) return body.problem && sendProblem(res, body.problem);
    const parsed = parseAdRequest(body.value, 'all');
    const contextFaults = faultsOfContext(body.value);
    if (!parsed.ok) return sendProblem(res, problem('invalid_request', 'The request has faults.', [...parsed.faults, ...contextFaults]));

    const snapshot = options.currentSnapshot();
    if (!snapshot) return sendProblem(res, problem('unavailable', 'The campaign data has not been loaded yet.'));
    const { request: wire } = parsed;
    const publisher = snapshot.publishers.get(wire.ext.publisher_id);
    const faults = [
      ...(publisher ? [] : [{ pointer: '/ext/publisher_id', detail: 'must be the id of a loaded publisher' }]),
      ...keyValueFaults(options.dimensions, wire),
      ...contextFaults,
    ];
    if (!publisher || faults.length > 0) return sendProblem(res, problem('invalid_request', 'The request has faults.', faults));

    const request = toAdRequest(inContext(options, contextOf(body.value)), snapshot, publisher, wire, req);
    sendJsonText(res, 200, options.writeAnswer(wire.id, await options.dryServeAd(snapshot, { ...request, traced: true })));
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

/** Reads requests as if they came from the chosen country and device. */
const inContext = (options: TestAdRouteOptions, { country, device }: Context): TestAdRouteOptions => ({
  ...options,
  requestContext: (req, named) => ({
    ...options.requestContext(req, named),
    ...(country === undefined ? {} : { country: country as string }),
    ...(device === undefined ? {} : { device: device as Device }),
  }),
});
