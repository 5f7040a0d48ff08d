import { Router, type RequestHandler } from 'express';
import type { Knex } from 'knex';
import { answer, refuse } from '../api/route.ts';
import { allowedMethods, serveRoute } from '../api/serve-routes.ts';
import { answerStoreFaults } from '../api/store-faults.ts';
import { methodNotAllowed } from '../http/problems/error-handler.ts';
import { linkGate } from '../links/link-gate.ts';
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
 * GET /shared_report, for everyone who has a link: its report and no other, as JSON, CSV or Excel.
 */
export const sharedReportRoute = ({ links, reports, onFailure, knex }: SharedReportOptions): RequestHandler => {
  const readCampaigns = createReadSharedCampaigns({ knex, reports });
  const router = Router();
  const gate = linkGate('report link', links.use, (shared) => (req, res, next) => {
    res.setHeader('X-Report-Title', encodeURIComponent(shared.title));
    res.setHeader('X-Report-Expires', shared.expiresAt.toISOString());
    const serve = req.path === '/campaigns' ? campaignsOf(shared, reports, readCampaigns) : reportOf(shared, reports);
    return serve(req, res, next);
  });
  router.use((req, res, next) =>
    req.method === 'GET' || req.method === 'HEAD' ? gate(req, res, next) : methodNotAllowed(allowedMethods(['GET']))(req, res, next),
  );
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
