import type { RequestHandler } from 'express';
import { keyValueFaults, parseAdRequest } from '../../http/openrtb/parse-ad-request.ts';
import { unknownFields, type Fault } from '../../base/fault.ts';
import { isObject } from '../../base/narrow.ts';
import { problem, sendProblem } from '../../http/problems/problem.ts';
import { readJson } from '../../http/request/read-json.ts';
import { toAdRequest, type ToAdRequestOptions } from '../../http/openrtb/to-ad-request.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import type { createExplain } from './explain.ts';
import { sendJson } from '../../http/answers/send-json.ts';

export interface ExplainRouteOptions extends ToAdRequestOptions {
  readonly currentSnapshot: () => Snapshot | undefined;
  readonly explain: ReturnType<typeof createExplain>;
}

/**
 * POST /api/explain `{ request, line_item_id }`: the request is the body of POST /ad; its publisher
 * is `ext.publisher_id`, without a key.
 */
export const explainRoute =
  (options: ExplainRouteOptions): RequestHandler =>
  async (req, res) => {
    const body = await readJson(req);
    if (!body.ok) return body.problem && sendProblem(res, body.problem);
    const given = isObject(body.value) ? body.value : {};
    const lineItemId = given['line_item_id'];
    const parsed = parseAdRequest(given['request'], 'all');
    const ownFaults = [
      ...unknownFields(given, ['request', 'line_item_id']),
      ...(Number.isSafeInteger(lineItemId) ? [] : [{ pointer: '/line_item_id', detail: 'must be the id of a line item' }]),
    ];
    if (!parsed.ok)
      return sendProblem(res, problem('invalid_request', 'The question has faults.', [...ownFaults, ...inRequest(parsed.faults)]));

    const snapshot = options.currentSnapshot();
    if (!snapshot) return sendProblem(res, problem('unavailable', 'The campaign data has not been loaded yet.'));
    const { request: wire } = parsed;
    const publisher = snapshot.publishers.get(wire.ext.publisher_id);
    const faults = [
      ...ownFaults,
      ...(publisher ? [] : [{ pointer: '/request/ext/publisher_id', detail: 'must be the id of a loaded publisher' }]),
      ...inRequest(keyValueFaults(options.dimensions, wire)),
    ];
    if (!publisher || faults.length > 0) return sendProblem(res, problem('invalid_request', 'The question has faults.', faults));

    const explanation = await options.explain(snapshot, toAdRequest(options, snapshot, publisher, wire, req), lineItemId as number);
    if (explanation) return sendJson(res, 200, explanation);
    const row = snapshot.quarantined.find(({ table, id }) => table === 'line_items' && id === String(lineItemId));
    const why = row ? `Line item ${String(lineItemId)} is set aside: ${row.reason}.` : `Line item ${String(lineItemId)} is not loaded.`;
    sendProblem(res, problem('not_found', why));
  };

const inRequest = (faults: readonly Fault[]): readonly Fault[] =>
  faults.map(({ pointer, detail }) => ({ pointer: `/request${pointer}`, detail }));
