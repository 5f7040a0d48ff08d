import { Router, type RequestHandler } from 'express';
import type { Knex } from 'knex';
import { outsideCaller } from '../access/caller.ts';
import { letIn } from '../api/call-rights.ts';
import { answer, refuse } from '../api/route.ts';
import { allowedMethods, serveRoute } from '../api/serve-routes.ts';
import { answerStoreFaults } from '../api/store-faults.ts';
import { methodNotAllowed } from '../http/problems/error-handler.ts';
import { problem, sendProblem } from '../http/problems/problem.ts';
import type { LogFields } from '../observability/log.ts';
import { answerReport, askedOf, refusalOf } from './answer-report.ts';
import { SHARED_REPORT_API } from './report-api.ts';
import { createReadSharedCampaigns, type ReadSharedCampaigns } from './read-shared-campaigns.ts';
import { sharedSearch } from './report-link-routes.ts';
import type { ReportLinkStore, SharedReport } from './report-link-store.ts';
import type { Reports } from './run-report.ts';

export interface SharedReportOptions {
  readonly links: Pick<ReportLinkStore, 'use'>;
  readonly reports: Reports;
  readonly knex: Knex;
  readonly onFailure: (fault: Error, fields: LogFields) => void;
}

/**
 * GET /shared_report, for everyone who has a link: its report and no other, as JSON, CSV or Excel. The
 * token is sent as a bearer token, so that no log of addresses has it.
 */
export const sharedReportRoute = ({ links, reports, onFailure, knex }: SharedReportOptions): RequestHandler => {
  const readCampaigns = createReadSharedCampaigns({ knex, reports });
  const router = Router();
  router.use(async (req, res, next) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return methodNotAllowed(allowedMethods(['GET']))(req, res, next);
    res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
    const token = /^Bearer +(\S+) *$/i.exec(req.get('authorization') ?? '')?.[1] ?? '';
    const shared = await links.use(token);
    if (!shared) return sendProblem(res, problem('invalid_link', 'The link has ended or is not valid. Ask for a new one.'));
    letIn(res, outsideCaller(`report link ${shared.id}`));
    res.setHeader('X-Report-Title', encodeURIComponent(shared.title));
    res.setHeader('X-Report-Expires', shared.expiresAt.toISOString());
    const serve = req.path === '/campaigns' ? campaignsOf(shared, reports, readCampaigns) : reportOf(shared, reports);
    await serve(req, res, next);
  });
  router.use(answerStoreFaults(onFailure));
  return router;
};

const reportOf = ({ query, advertiserId, publishers }: SharedReport, reports: Reports): RequestHandler =>
  serveRoute(SHARED_REPORT_API.getSharedReport, async (written, { actor: person, url }) => {
    const asked = await askedOf(reports, sharedSearch(query, advertiserId), { publishers, advertisers: [advertiserId] });
    if (!asked.ok) return refuse('invalid_request', 'The report of this link cannot be answered any more.', asked.faults);
    return answerReport(reports, asked.value, { ...written, person, url, namesPayers: false });
  });

const campaignsOf = (shared: SharedReport, reports: Reports, read: ReadSharedCampaigns): RequestHandler =>
  serveRoute(SHARED_REPORT_API.getSharedCampaigns, async (_asked, { actor: person }) => {
    const { query, advertiserId, publishers } = shared;
    const asked = await askedOf(reports, sharedSearch(query, advertiserId), { publishers, advertisers: [advertiserId] });
    if (!asked.ok) return refuse('invalid_request', 'The report of this link cannot be answered any more.', asked.faults);
    const found = await read(shared, asked.value, person);
    return found.ok ? answer(found.value) : refusalOf(found.refusal);
  });
