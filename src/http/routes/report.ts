import type { RequestHandler } from 'express';
import type { ServedAd } from '../../ledger/hit.ts';
import { REPORT_REASONS, type ReportReason, type ReportStore } from '../../tracking/report-store.ts';
import type { Fault } from '../../base/fault.ts';
import { isObject } from '../../base/narrow.ts';
import type { Tokens } from '../../tracking/tokens.ts';
import { CORS_HEADERS } from '../cors.ts';
import { problem, sendProblem } from '../problems/problem.ts';
import { readJson } from '../body/read-json.ts';

export interface ReportRouteOptions {
  readonly tokens: Tokens;
  readonly reports: ReportStore;
  readonly onFailure: (fault: Error) => void;
}

/** POST /report: one report a token, 201 with its id however often it is sent. */
export const reportRoute =
  ({ tokens, reports, onFailure }: ReportRouteOptions): RequestHandler =>
  async (req, res) => {
    const body = await readJson(req);
    if (!body.ok) return body.problem && sendProblem(res, body.problem, CORS_HEADERS);
    const faults = faultsOfReport(body.value);
    if (faults.length > 0) return sendProblem(res, problem('invalid_request', 'The report has faults.', faults), CORS_HEADERS);
    const { token, reason } = body.value as { token: string; reason: ReportReason };
    const ad = tokens.verify(token);
    if (!ad) return sendProblem(res, problem('invalid_token', 'token must be a tracking token that has not expired.'), CORS_HEADERS);
    const id = await file(reports, ad, reason, onFailure);
    if (id === undefined)
      return sendProblem(res, problem('unavailable', 'The report could not be stored; it may be sent again.'), CORS_HEADERS);
    const text = JSON.stringify({ id });
    res
      .writeHead(201, {
        ...CORS_HEADERS,
        'Content-Type': 'application/json; charset=utf-8',
        'Cache-Control': 'no-store',
        'Content-Length': Buffer.byteLength(text),
      })
      .end(text);
  };

const file = async (
  reports: ReportStore,
  ad: ServedAd,
  reason: ReportReason,
  onFailure: (fault: Error) => void,
): Promise<string | undefined> => {
  try {
    return await reports.file(ad, reason);
  } catch (fault) {
    onFailure(fault as Error);
    return undefined;
  }
};

const faultsOfReport = (body: unknown): readonly Fault[] => {
  if (!isObject(body)) return [{ pointer: '', detail: 'must be a JSON object' }];
  const { token, reason } = body;
  return [
    ...(typeof token === 'string' ? [] : [{ pointer: '/token', detail: 'must be a tracking token' }]),
    ...(REPORT_REASONS.includes(reason as ReportReason)
      ? []
      : [{ pointer: '/reason', detail: `must be one of: ${REPORT_REASONS.join(', ')}` }]),
  ];
};
