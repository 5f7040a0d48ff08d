import { pipeline } from 'node:stream/promises';
import { Router, type Request, type Response } from 'express';
import { sendJson } from '../http/answers/send-json.ts';
import { methodNotAllowed } from '../http/problems/error-handler.ts';
import { problem, sendProblem } from '../http/problems/problem.ts';
import { actorOf } from '../api/admin-gate.ts';
import { readPage, searchOf } from '../bookings/list-query.ts';
import { nextPageLink } from '../bookings/page-of-rows.ts';
import { DIMENSION_NAMES, dimensionOf } from './report-dimensions.ts';
import { columnsOf, METRIC_NAMES } from './report-fields.ts';
import { describeMetric, DIMENSION_SETS, RANGE_NAMES, RANGES, readReportQuestion, type ReportQuestion } from './report-question.ts';
import type { ReportPage, ReportRefusal, Reports } from './run-report.ts';
import { MAX_XLSX_ROWS, reportCsv, reportXlsx } from './write-report.ts';

export interface ReportRoutesOptions {
  readonly reports: Reports;
}

/** Formats of a report, the default first. */
export const REPORT_FORMATS = ['json', 'csv', 'xlsx'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];
/** Rows of a page of JSON. */
export const REPORT_PAGE = { default: 500, max: 1_000 };

export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** GET /reports, and GET /reports/fields: what a report may be asked for. */
export const reportRoutes = ({ reports }: ReportRoutesOptions): Router => {
  const router = Router();
  const answer = createAnswerReport({ reports });
  const report = router.route('/reports');
  report.get(async (req, res) => {
    const asked = await askedOf(reports, searchOf(req));
    if (!asked.ok) return sendProblem(res, problem('invalid_request', 'The report cannot be answered.', asked.faults));
    await answer(req, res, actorOf(res), asked.value);
  });
  report.all(methodNotAllowed('GET, HEAD'));
  router
    .route('/reports/fields')
    .get((_req, res) => sendJson(res, 200, REPORT_FIELDS))
    .all(methodNotAllowed('GET, HEAD'));
  return router;
};

/** The question of a request, with the days of the publishers that it names. */
export const askedOf = async (reports: Pick<Reports, 'today'>, search: URLSearchParams): Promise<ReturnType<typeof readReportQuestion>> => {
  const ids = search.getAll('filter[publisher]').flatMap((text) => text.split(','));
  // Other values are faults of the question.
  const publishers = ids.filter((text) => /^\d{1,9}$/.test(text)).map(Number);
  return readReportQuestion(search, await reports.today(publishers.length > 0 ? publishers : null));
};

/** The dimensions and metrics of reports, with their words. */
export type ReportFields = typeof REPORT_FIELDS;
export const REPORT_FIELDS = {
  dimensions: DIMENSION_NAMES.map((name) => {
    const { label, kind, table, accepts } = dimensionOf(name);
    return { name, label, kind, table: table ?? null, filter: accepts !== undefined };
  }),
  metrics: METRIC_NAMES.map(describeMetric),
  sets: DIMENSION_SETS,
  ranges: RANGE_NAMES.map((name) => ({ name, label: RANGES[name].label })),
};

/** Sends the answer to a question in the format that the request asks for. */
export const createAnswerReport =
  ({ reports }: Pick<ReportRoutesOptions, 'reports'>) =>
  async (req: Request, res: Response, person: string, question: ReportQuestion): Promise<void> => {
    const search = searchOf(req);
    const format = search.get('format') ?? 'json';
    if (!isReportFormat(format)) {
      const detail = `must be ${REPORT_FORMATS.join(', ')}`;
      return sendProblem(res, problem('invalid_request', 'The report cannot be answered.', [{ pointer: '/format', detail }]));
    }
    if (format === 'json') {
      const page = readPage(search, REPORT_PAGE.default, REPORT_PAGE.max);
      if (!page.ok) return sendProblem(res, page.problem);
      const result = await reports.page(person, question, page);
      if (!result.ok) return refuseReport(res, result.refusal);
      const { rows, rowCount } = result.value;
      const link = nextPageLink(req.originalUrl, { rows, more: rows.length > 0 && page.offset + rows.length < rowCount }, page);
      return sendJson(res, 200, reportJson(question, result.value), link);
    }
    const columns = columnsOf(question.groupBy, question.metrics);
    const name = `report_${question.from}_${question.to}.${format}`;
    const result = await reports.all(person, question, async (parts) => {
      if (format === 'csv') {
        res.writeHead(200, fileHeaders(name, 'text/csv; charset=utf-8; header=present'));
        return pipeline(reportCsv(columns, parts), res);
      }
      const file = await reportXlsx(columns, parts);
      if (file) res.writeHead(200, { ...fileHeaders(name, XLSX_TYPE), 'Content-Length': file.length }).end(file);
      else
        sendProblem(
          res,
          problem('invalid_request', `An Excel file has at most ${MAX_XLSX_ROWS} rows: choose CSV, fewer days or fewer dimensions.`),
        );
    });
    if (!result.ok) refuseReport(res, result.refusal);
  };

/** The JSON of a page of a report. */
export const reportJson = ({ groupBy, metrics, filters, from, to }: ReportQuestion, { rowCount, rows, totals, timeZone }: ReportPage) => ({
  ...{ from, to, time_zone: timeZone, group_by: groupBy, metrics },
  filter: Object.fromEntries(filters.map(({ dimension, values }) => [dimension, values])),
  columns: columnsOf(groupBy, metrics),
  ...{ row_count: rowCount, rows, totals },
});

const refuseReport = (res: Response, refusal: ReportRefusal): void => {
  switch (refusal.why) {
    case 'busy':
      return sendProblem(res, problem('too_many_requests', 'Another report of yours is running. Ask again when it has ended.'), {
        'Retry-After': '1',
      });
    case 'timeout':
      return sendProblem(res, problem('unavailable', 'The report took too long. Choose fewer days or fewer dimensions.'));
    case 'faults':
      return sendProblem(res, problem('invalid_request', 'The report cannot be answered.', refusal.faults));
  }
};

/** Of an answer that a browser saves. */
export const fileHeaders = (name: string, type: string): Readonly<Record<string, string>> => ({
  'Content-Type': type,
  'Content-Disposition': `attachment; filename="${name}"`,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
});

const isReportFormat = (text: string): text is ReportFormat => REPORT_FORMATS.some((format) => format === text);
