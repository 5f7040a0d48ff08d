import { Router } from 'express';
import type { Response } from 'express';
import type { Knex } from 'knex';
import { MS_PER_DAY } from '../../base/utc-day.ts';
import { methodNotAllowed } from '../../http/problems/error-handler.ts';
import { problem, sendProblem } from '../../http/problems/problem.ts';
import { readAudit } from '../entities/audit-trail.ts';
import { readCampaignReport } from './campaign-report.ts';
import type { CampaignReport } from './report.ts';
import type { Delivery } from './delivery.ts';
import { ENTITY_KINDS, readEntityId } from '../entities/entity-kind.ts';
import { readPage, searchOf } from '../entities/list-query.ts';
import { readQualityReports } from './quality-reports.ts';
import { reportCsv } from './report-csv.ts';
import { sendJson } from '../send-json.ts';

export interface InsightRoutesOptions {
  readonly knex: Knex;
  readonly readDelivery: (lineItemId: number) => Promise<Delivery | undefined>;
  readonly now: () => number;
}

/** What was delivered, reported and changed. */
export const insightRoutes = ({ knex, readDelivery, now }: InsightRoutesOptions): Router => {
  const router = Router();

  const delivery = router.route('/line_items/:id/delivery');
  delivery.get(async (req, res) => {
    const id = readEntityId(ENTITY_KINDS.line_items, req.params.id);
    const found = id === undefined ? undefined : await readDelivery(Number(id));
    if (!found) return sendProblem(res, problem('not_found', 'There is no line item with this id.'));
    sendJson(res, 200, found);
  });
  delivery.all(methodNotAllowed('GET, HEAD'));

  const report = router.route('/campaigns/:id/report');
  report.get(async (req, res) => {
    const id = readEntityId(ENTITY_KINDS.campaigns, req.params.id);
    const search = searchOf(req);
    const days = readDays(search.get('from'), search.get('to'), now());
    if (!days)
      return sendProblem(
        res,
        problem('invalid_request', `from and to must be days (YYYY-MM-DD), from not after to, at most ${MOST_DAYS} days.`),
      );
    const found = id === undefined ? undefined : await readCampaignReport(knex, { campaignId: Number(id), ...days });
    if (!found) return sendProblem(res, problem('not_found', 'There is no campaign with this id.'));
    const format = search.get('format') ?? (req.accepts(['application/json', 'text/csv']) === 'text/csv' ? 'csv' : 'json');
    if (format === 'csv') sendCsv(res, found);
    else if (format === 'json') sendJson(res, 200, found, { Vary: 'Accept' });
    else sendProblem(res, problem('invalid_request', 'format must be json or csv.'));
  });
  report.all(methodNotAllowed('GET, HEAD'));

  const reports = router.route('/reports');
  reports.get(async (req, res) => {
    const search = searchOf(req);
    const page = readPage(search, 100, 1000);
    if (!page.ok) return sendProblem(res, page.problem);
    const where = Object.fromEntries(
      REPORT_FILTERS.flatMap((name) => filterOf(search, name, (text) => readEntityId(ENTITY_KINDS.creatives, text) ?? -1)),
    );
    sendJson(res, 200, await readQualityReports(knex, { ...page, where: where as Record<string, number> }));
  });
  reports.all(methodNotAllowed('GET, HEAD'));

  const audit = router.route('/audit');
  audit.get(async (req, res) => {
    const search = searchOf(req);
    const page = readPage(search, 100, 1000);
    if (!page.ok) return sendProblem(res, page.problem);
    const where = Object.fromEntries(AUDIT_FILTERS.flatMap((name) => filterOf(search, name, (text) => text)));
    sendJson(res, 200, await readAudit(knex, { ...page, where }));
  });
  audit.all(methodNotAllowed('GET, HEAD'));
  return router;
};

export const REPORT_FILTERS = ['publisher_id', 'line_item_id', 'creative_id'];
export const AUDIT_FILTERS = ['entity', 'entity_id', 'actor', 'action'];
const MOST_DAYS = 400;
const DEFAULT_DAYS = 30;

const filterOf = <T>(search: URLSearchParams, name: string, read: (text: string) => T): [string, T][] => {
  const text = search.get(name);
  return text === null || text === '' ? [] : [[name, read(text)]];
};

/** Without an end: today. Without a beginning: thirty days. */
const readDays = (from: string | null, to: string | null, nowMs: number): { readonly from: string; readonly to: string } | undefined => {
  const end = to === null || to === '' ? nowMs : dayOf(to);
  const begin = from === null || from === '' ? (end ?? nowMs) - (DEFAULT_DAYS - 1) * MS_PER_DAY : dayOf(from);
  if (begin === undefined || end === undefined || begin > end || end - begin > MOST_DAYS * MS_PER_DAY) return undefined;
  return { from: dateOf(begin), to: dateOf(end) };
};

const dayOf = (text: string): number | undefined => {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(ms) && dateOf(ms) === text ? ms : undefined;
};

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const sendCsv = (res: Response, report: CampaignReport): void => {
  const text = reportCsv(report);
  res
    .writeHead(200, {
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Disposition': `attachment; filename="campaign-${report.campaign_id}_${report.from}_${report.to}.csv"`,
      'Content-Length': Buffer.byteLength(text),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Accept',
    })
    .end(text);
};
