import type { Request, RequestHandler } from 'express';
import { REPORT_REASONS, type ReportReason, type ReportStore } from '../../tracking/report-store.ts';
import { unknownFields, type Fault } from '../../base/fault.ts';
import { asError, isObject } from '../../base/narrow.ts';
import type { ReportLimit } from '../../tracking/report-limit.ts';
import type { Tokens } from '../../tracking/tokens.ts';
import { CORS_HEADERS, refusePage } from '../answers/cors.ts';
import { problem, sendProblem } from '../problems/problem.ts';
import { readJson } from '../request/read-json.ts';
import { requestIdOf } from '../request/request-id.ts';
import type { LogFields } from '../../observability/log.ts';
import { sendJson } from '../answers/send-json.ts';

export interface ReportRouteOptions {
  readonly tokens: Tokens;
  readonly reports: ReportStore;
  readonly limit: ReportLimit;
  /** A hash of the client's address; null: unknown. */
  readonly clientOf: (req: Request) => string | null;
  readonly onFailure: (fault: Error, fields: LogFields) => void;
}

/**
 * POST /report: one report per token; a repetition answers 201 with the same id. A client that
 * sends too many gets 429 for the rest of the hour.
 */
export const reportRoute =
  ({ tokens, reports, limit, clientOf, onFailure }: ReportRouteOptions): RequestHandler =>
  async (req, res) => {
    const body = await readJson(req);
    if (!body.ok) return body.problem && refusePage(res, body.problem);
    const faults = faultsOfReport(body.value);
    if (faults.length > 0) return refusePage(res, problem('invalid_request', 'The report is invalid.', faults));
    const { token, reason } = body.value as { token: string; reason: ReportReason };
    const ad = tokens.verify(token);
    if (!ad) return refusePage(res, INVALID_TOKEN);
    const client = clientOf(req);
    const retryAfterSeconds = await limit.count(client, ad.tokenId);
    if (retryAfterSeconds !== undefined) return sendProblem(res, TOO_MANY, { ...CORS_HEADERS, 'Retry-After': String(retryAfterSeconds) });
    try {
      const id = await reports.file(ad, reason, await limit.isFirst(client, ad.creativeId));
      if (id === undefined) return refusePage(res, INVALID_TOKEN);
      sendJson(res, 201, { id }, CORS_HEADERS);
    } catch (fault) {
      onFailure(asError(fault), { requestId: requestIdOf(res) });
      refusePage(res, problem('unavailable', 'The report could not be stored. Send it again later.'));
    }
  };

const TOO_MANY = problem('too_many_requests', 'Too many quality reports in this hour. Send it again later.');

const INVALID_TOKEN = problem('invalid_token', 'token must be an unexpired tracking token.');

const faultsOfReport = (body: unknown): readonly Fault[] => {
  if (!isObject(body)) return [{ pointer: '', detail: 'must be a JSON object' }];
  const { token, reason } = body;
  return [
    ...unknownFields(body, ['token', 'reason']),
    ...(typeof token === 'string' ? [] : [{ pointer: '/token', detail: 'must be a tracking token' }]),
    ...(REPORT_REASONS.includes(reason as ReportReason)
      ? []
      : [{ pointer: '/reason', detail: `must be one of: ${REPORT_REASONS.join(', ')}` }]),
  ];
};
