import type { RequestHandler } from 'express';
import { isCountryCode } from '../../catalog/checks/country-codes.ts';
import { DEVICES, type Device } from '../../catalog/model/choices.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { keyValueFaults, parseAdRequest } from '../../http/openrtb/parse-ad-request.ts';
import type { Fault } from '../../base/fault.ts';
import { problem, sendProblem } from '../../http/problems/problem.ts';
import { readJson } from '../../http/request/read-json.ts';
import { toAdRequest, type ToAdRequestOptions } from '../../http/openrtb/to-ad-request.ts';
import type { WriteAnswer } from '../../http/openrtb/write-answer.ts';
import type { AdRequest } from '../../serving/ad-request.ts';
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
 * optional `context { country, region, city, device }` replaces the values from address and user agent. Answers
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
    sendJsonText(res, 200, options.writeAnswer(wire.id, await options.dryServeAd(snapshot, inTestMode(request))));
  };

/** Bidders see that nothing will be billed. */
const inTestMode = (request: AdRequest): AdRequest => ({ ...request, traced: true, bidContext: { ...request.bidContext, test: true } });

interface Context {
  readonly country?: unknown;
  readonly region?: unknown;
  readonly city?: unknown;
  readonly device?: unknown;
}

/** As in targeting. */
const MAX_PLACE_LENGTH = 128;
const isPlace = (value: unknown): boolean => typeof value === 'string' && value !== '' && value.length <= MAX_PLACE_LENGTH;

const contextOf = (body: unknown): Context => {
  const { context } = body as { readonly context?: unknown };
  return typeof context === 'object' && context !== null ? context : {};
};

const faultsOfContext = (body: unknown): readonly Fault[] => {
  if (typeof body !== 'object' || body === null) return [];
  const context = contextOf(body);
  const rules: readonly (readonly [field: keyof Context, holds: (value: unknown) => boolean, detail: string])[] = [
    ['country', (value) => typeof value === 'string' && isCountryCode(value), 'must be an ISO 3166-1 alpha-2 country code'],
    ['region', isPlace, `must be a text of 1 to ${MAX_PLACE_LENGTH} characters`],
    ['city', isPlace, `must be a text of 1 to ${MAX_PLACE_LENGTH} characters`],
    ['device', (value) => DEVICES.includes(value as Device), `must be one of ${DEVICES.join(', ')}`],
  ];
  return rules.flatMap(([field, holds, detail]) =>
    context[field] === undefined || holds(context[field]) ? [] : [{ pointer: `/context/${field}`, detail }],
  );
};

/**
 * Reads requests as if they came from the chosen place and device. A chosen country has no region or
 * city unless they are chosen too.
 */
const inContext = (options: TestAdRouteOptions, { country, region, city, device }: Context): TestAdRouteOptions => ({
  ...options,
  requestContext: (req, named) => {
    const asker = options.requestContext(req, named);
    return {
      ...asker,
      ...(country === undefined ? {} : { country: country as string, region: null, city: null }),
      ...(region === undefined ? {} : { region: region as string }),
      ...(city === undefined ? {} : { city: city as string }),
      ...(device === undefined ? {} : { device: device as Device }),
    };
  },
});
