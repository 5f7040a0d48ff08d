import { pipeline } from 'node:stream/promises';
import { Router } from 'express';
import type { Response } from 'express';
import type { Knex } from 'knex';
import { dayOf } from '../base/utc-day.ts';
import { readReportRows, readReportTotals, type ReportGrains, type ReportQuestion } from '../events/postgres/delivery-report.ts';
import { methodNotAllowed } from '../http/problems/error-handler.ts';
import { problem, sendProblem } from '../http/problems/problem.ts';
import { QUALITY_REPORT_FILTERS, readReportedCreatives } from '../tracking/report-store.ts';
import { AUDIT_FILTERS, readAudit } from '../bookings/audit-trail.ts';
import { ENTITY_KINDS, readEntityId, type EntityKind } from '../bookings/entity-kind.ts';
import { NO_ID, readPage, searchOf } from '../bookings/list-query.ts';
import { nextPageLink } from '../bookings/page-of-rows.ts';
import { show } from '../api/columns.ts';
import { sendJson } from '../http/answers/send-json.ts';
import type { Delivery } from './delivery.ts';
import { readDays } from './read-days.ts';
import { reportCsv } from '../reports/record-report/report-csv.ts';
import { reportOf, reportRow, REPORT_COLUMNS } from '../reports/record-report/report-columns.ts';
import {
  ADVERTISER_REPORT,
  CAMPAIGN_REPORT,
  readWholeReport,
  REPORT_PAGE,
  type ReportKind,
} from '../reports/record-report/record-reports.ts';
import { REPORTED_CREATIVE_COLUMNS } from './reported-creative-columns.ts';

export interface InsightRoutesOptions {
  readonly knex: Knex;
  readonly readDelivery: (lineItemId: number) => Promise<Delivery | undefined>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Rows of a page of complaints or of the audit trail. */
export const INSIGHT_PAGE = { default: 100, max: 1000 };
/** Report formats, the default first. */
export const REPORT_FORMATS = ['json', 'csv'] as const;
const REPORT_PERIOD = { defaultDays: 30, maxDays: 400 };

/** Delivery, reports of one record, complaints and the audit trail. */
export const insightRoutes = ({ knex, readDelivery, now }: InsightRoutesOptions): Router => {
  const router = Router();

  const delivery = router.route('/line_items/:id/delivery');
  delivery.get(async (req, res) => {
    const id = readNumericId(ENTITY_KINDS.line_items, req.params.id);
    const found = id === undefined ? undefined : await readDelivery(id);
    if (!found) return sendProblem(res, problem('not_found', 'There is no line item with this id.'));
    sendJson(res, 200, found);
  });
  delivery.all(methodNotAllowed('GET, HEAD'));

  const report = <Grain extends keyof ReportGrains>(kind: EntityKind, { grain, keys, campaignsOf }: ReportKind<Grain>): void => {
    const route = router.route(`/${kind.table}/:id/report`);
    route.get(async (req, res) => {
      const id = readNumericId(kind, String(req.params['id']));
      const search = searchOf(req);
      const read = readDays(search, dayOf(now()), REPORT_PERIOD);
      if (!read.ok) return sendProblem(res, read.problem);
      const days = { from: read.from, to: read.to };
      const page = readPage(search, REPORT_PAGE.default, REPORT_PAGE.max);
      if (!page.ok) return sendProblem(res, page.problem);
      const format = search.get('format') ?? (req.accepts(['application/json', 'text/csv']) === 'text/csv' ? 'csv' : 'json');
      if (!isReportFormat(format)) return sendProblem(res, problem('invalid_request', `format must be ${REPORT_FORMATS.join(' or ')}.`));
      const campaignIds = id === undefined ? undefined : await campaignsOf(knex, id);
      if (id === undefined || !campaignIds) return sendProblem(res, problem('not_found', `There is no ${kind.words} with this id.`));
      const question = { campaignIds, ...days };
      const totals = await readReportTotals(knex, grain, question);
      const readRows = async (part: ReportQuestion, of: { readonly limit: number; readonly offset: number }) =>
        (await readReportRows(knex, grain, part, of)).map((row) => reportRow(keys, row));
      if (format === 'csv') {
        const pages = readWholeReport(question, totals, readRows);
        const name = `${kind.words}-${id}_${days.from}_${days.to}.csv`;
        return sendCsv(res, name, reportCsv(keys, show(REPORT_COLUMNS.figures, totals), pages));
      }
      const rows = await readRows(question, page);
      const link = nextPageLink(req.originalUrl, { rows, more: page.offset + rows.length < totals.rows && rows.length > 0 }, page);
      sendJson(res, 200, { [kind.reference]: id, ...days, ...reportOf(rows, totals) }, { Vary: 'Accept', ...link });
    });
    route.all(methodNotAllowed('GET, HEAD'));
  };
  report(ENTITY_KINDS.campaigns, CAMPAIGN_REPORT);
  report(ENTITY_KINDS.advertisers, ADVERTISER_REPORT);

  const complaints = router.route('/complaints');
  complaints.get(async (req, res) => {
    const search = searchOf(req);
    const page = readPage(search, INSIGHT_PAGE.default, INSIGHT_PAGE.max);
    if (!page.ok) return sendProblem(res, page.problem);
    const where = filtersOf(search, QUALITY_REPORT_FILTERS, (text) => readNumericId(ENTITY_KINDS.creatives, text) ?? NO_ID);
    const reported = await readReportedCreatives(knex, { ...page, where });
    sendJson(
      res,
      200,
      reported.map((creative) => show(REPORTED_CREATIVE_COLUMNS, creative)),
    );
  });
  complaints.all(methodNotAllowed('GET, HEAD'));

  const audit = router.route('/audit');
  audit.get(async (req, res) => {
    const search = searchOf(req);
    const page = readPage(search, INSIGHT_PAGE.default, INSIGHT_PAGE.max);
    if (!page.ok) return sendProblem(res, page.problem);
    const changes = await readAudit(knex, { ...page, where: filtersOf(search, AUDIT_FILTERS, (text) => text) });
    sendJson(res, 200, changes.rows, nextPageLink(req.originalUrl, changes, page));
  });
  audit.all(methodNotAllowed('GET, HEAD'));
  return router;
};

const readNumericId = (kind: EntityKind, text: string): number | undefined => {
  const id = readEntityId(kind, text);
  return id === undefined ? undefined : Number(id);
};

const filtersOf = <Name extends string, T>(
  search: URLSearchParams,
  names: readonly Name[],
  read: (text: string) => T,
): Partial<Record<Name, T>> => {
  const where: Partial<Record<Name, T>> = {};
  for (const name of names) {
    const text = search.get(name);
    if (text !== null && text !== '') where[name] = read(text);
  }
  return where;
};

const isReportFormat = (text: string): text is (typeof REPORT_FORMATS)[number] => REPORT_FORMATS.some((format) => format === text);

/** Sends the parts as they are made, as fast as the client reads. A fault in between ends the connection. */
const sendCsv = async (res: Response, name: string, parts: AsyncIterable<string>): Promise<void> => {
  res.writeHead(200, {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="${name}"`,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Accept',
  });
  await pipeline(parts, res);
};
