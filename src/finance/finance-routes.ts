import { pipeline } from 'node:stream/promises';
import { Router, type Response } from 'express';
import type { Knex } from 'knex';
import { unknownFields, type Fault } from '../base/fault.ts';
import { isObject } from '../base/narrow.ts';
import { usdFromMicros } from '../catalog/model/money.ts';
import { sendJson } from '../http/answers/send-json.ts';
import { methodNotAllowed } from '../http/problems/error-handler.ts';
import { problem, sendProblem } from '../http/problems/problem.ts';
import { readJson } from '../http/request/read-json.ts';
import { actorOf } from '../api/admin-gate.ts';
import { recordChange } from '../bookings/audit-trail.ts';
import { searchOf } from '../bookings/list-query.ts';
import type { ReportColumn } from '../reports/report-fields.ts';
import { fileHeaders, XLSX_TYPE } from '../reports/report-routes.ts';
import { MAX_XLSX_ROWS, reportCsv, reportXlsx } from '../reports/write-report.ts';
import type { Finance, FinanceLine, FinanceStatement, OpenMonth } from './finance.ts';

export interface FinanceRoutesOptions {
  readonly knex: Knex;
  readonly finance: Finance;
}

export const FINANCE_FORMATS = ['json', 'csv', 'xlsx'] as const;

/** The columns of the lines, in JSON, CSV and Excel. */
export const FINANCE_COLUMNS: readonly ReportColumn[] = [
  { name: 'month', label: 'Month', kind: 'text' },
  { name: 'of_month', label: 'Of month', kind: 'text' },
  { name: 'advertiser_id', label: 'Advertiser id', kind: 'id' },
  { name: 'advertiser', label: 'Advertiser', kind: 'name' },
  { name: 'campaign_id', label: 'Campaign id', kind: 'id' },
  { name: 'campaign', label: 'Campaign', kind: 'name' },
  { name: 'impressions', label: 'Impressions', kind: 'count' },
  { name: 'clicks', label: 'Clicks', kind: 'count' },
  { name: 'revenue', label: 'Revenue, USD', kind: 'usd' },
  { name: 'amount', label: 'Amount', kind: 'usd' },
  { name: 'currency', label: 'Currency', kind: 'text' },
];

/** GET /finance and POST /finance/close: the statement of a publisher for a month; GET /finance/open: the months to close. */
export const financeRoutes = ({ knex, finance }: FinanceRoutesOptions): Router => {
  const router = Router();
  const statement = router.route('/finance');
  statement.get(async (req, res) => {
    const search = searchOf(req);
    const given = { publisher_id: Number(search.get('publisher_id') ?? NaN), month: search.get('month') };
    const format = search.get('format') ?? 'json';
    const faults = [
      ...faultsOf(given),
      ...(FINANCE_FORMATS.some((known) => known === format)
        ? []
        : [{ pointer: '/format', detail: `must be ${FINANCE_FORMATS.join(', ')}` }]),
    ];
    if (faults.length > 0) return sendProblem(res, problem('invalid_request', 'The statement cannot be made.', faults));
    const found = await finance.statement(given.publisher_id, String(given.month));
    if (!found) return sendProblem(res, problem('not_found', 'There is no publisher with this id.'));
    const shown = await showStatement(knex, found);
    if (format === 'json') return sendJson(res, 200, shown);
    await sendFile(res, format, shown);
  });
  statement.all(methodNotAllowed('GET, HEAD'));

  const open = router.route('/finance/open');
  open.get(async (_req, res) => sendJson(res, 200, (await finance.openMonths()).map(showOpenMonth)));
  open.all(methodNotAllowed('GET, HEAD'));

  const close = router.route('/finance/close');
  close.post(async (req, res) => {
    const body = await readJson(req);
    if (!body.ok) return body.problem && sendProblem(res, body.problem);
    const given = isObject(body.value) ? body.value : {};
    const faults = [...unknownFields(given, ['publisher_id', 'month']), ...faultsOf(given)];
    if (faults.length > 0) return sendProblem(res, problem('invalid_request', 'The month cannot be closed.', faults));
    const [publisherId, month] = [Number(given['publisher_id']), String(given['month'])];
    const refusal = await finance.close(publisherId, month, actorOf(res), (trx) =>
      recordChange(trx, {
        actor: actorOf(res),
        action: 'close_month',
        entity: 'publisher',
        entityId: publisherId,
        before: null,
        after: { month },
      }),
    );
    if (refusal === 'unknown') return sendProblem(res, problem('not_found', 'There is no publisher with this id.'));
    if (refusal !== undefined) return sendProblem(res, problem('conflict', CLOSE_WORDS[refusal]));
    const found = await finance.statement(publisherId, month);
    if (found) sendJson(res, 201, await showStatement(knex, found));
  });
  close.all(methodNotAllowed('POST'));
  return router;
};

const CLOSE_WORDS = {
  closed: 'The month is closed already. What has changed since is a correction in the next month that is closed.',
  'not over': 'The month is not over in the time zone of the publisher.',
  'no rate': 'CURRENCY_RATES has no rate for the currency of the publisher.',
} as const;

const faultsOf = ({ publisher_id, month }: { readonly publisher_id?: unknown; readonly month?: unknown }): readonly Fault[] => {
  const isId = Number.isInteger(publisher_id) && Number(publisher_id) > 0 && Number(publisher_id) < 2 ** 31;
  const isMonth = typeof month === 'string' && /^2\d{3}-(0[1-9]|1[0-2])$/.test(month);
  return [
    ...(isId ? [] : [{ pointer: '/publisher_id', detail: 'must be the id of a publisher' }]),
    ...(isMonth ? [] : [{ pointer: '/month', detail: 'must be a month such as 2026-10' }]),
  ];
};

export type OpenMonthWire = ReturnType<typeof showOpenMonth>;

const showOpenMonth = ({ publisherId, publisher, month }: OpenMonth) => ({ publisher_id: publisherId, publisher, month });

export type FinanceWire = Awaited<ReturnType<typeof showStatement>>;

/** The statement as the API answers it, with the names of what it refers to. */
const showStatement = async (knex: Knex, statement: FinanceStatement) => {
  const { publisherId, month, timeZone, currency, rate, closed, lines, closedMonths } = statement;
  const namesOf = async (table: 'campaigns' | 'advertisers', ids: readonly (number | null)[]) => {
    const rows = await knex(table)
      .whereIn('id', [...new Set(ids.filter((id) => id !== null))])
      .select<{ id: number; name: string }[]>('id', 'name');
    return new Map(rows.map(({ id, name }) => [id, name]));
  };
  const campaigns = await namesOf(
    'campaigns',
    lines.map(({ campaignId }) => campaignId),
  );
  const advertisers = await namesOf(
    'advertisers',
    lines.map(({ advertiserId }) => advertiserId),
  );
  const advertiserName = (id: number | null): string | null => (id === null ? null : (advertisers.get(id) ?? null));
  const byAdvertiser = groupOf(lines);
  return {
    ...{ publisher_id: publisherId, month, time_zone: timeZone, currency, rate },
    closed_at: closed?.at.toISOString() ?? null,
    closed_by: closed?.by ?? null,
    closed_months: closedMonths,
    advertisers: [...byAdvertiser].map(([id, of]) => ({ advertiser_id: id, advertiser: advertiserName(id), ...totalsOf(of, month) })),
    lines: lines.map((line) => ({
      ...{ month, of_month: line.ofMonth, advertiser_id: line.advertiserId, advertiser: advertiserName(line.advertiserId) },
      ...{ campaign_id: line.campaignId, campaign: campaigns.get(line.campaignId) ?? null },
      ...{ impressions: line.impressions, clicks: line.clicks, revenue: usdFromMicros(line.revenueMicros) },
      ...{ amount: line.amountMicros === null ? null : usdFromMicros(line.amountMicros), currency },
    })),
    totals: totalsOf(lines, month),
  };
};

const groupOf = (lines: readonly FinanceLine[]): ReadonlyMap<number | null, readonly FinanceLine[]> => {
  const groups = new Map<number | null, FinanceLine[]>();
  for (const line of lines) groups.set(line.advertiserId, [...(groups.get(line.advertiserId) ?? []), line]);
  return groups;
};

/** `revenue` has the corrections in it; sums are in micros, so that they are exact. */
const totalsOf = (lines: readonly FinanceLine[], month: string) => {
  const sum = (of: readonly FinanceLine[], name: 'impressions' | 'clicks' | 'revenueMicros' | 'amountMicros'): number =>
    of.reduce((total, line) => total + (line[name] ?? 0), 0);
  const isConverted = lines.every(({ amountMicros }) => amountMicros !== null);
  const corrections = lines.filter(({ ofMonth }) => ofMonth !== month);
  return {
    ...{ impressions: sum(lines, 'impressions'), clicks: sum(lines, 'clicks') },
    corrections: usdFromMicros(sum(corrections, 'revenueMicros')),
    revenue: usdFromMicros(sum(lines, 'revenueMicros')),
    amount: isConverted ? usdFromMicros(sum(lines, 'amountMicros')) : null,
  };
};

const sendFile = async (res: Response, format: string, { publisher_id, month, lines }: FinanceWire): Promise<void> => {
  const name = `statement_${publisher_id}_${month}.${format}`;
  const parts = (async function* () {
    yield await Promise.resolve(lines);
  })();
  if (format === 'csv') {
    res.writeHead(200, fileHeaders(name, 'text/csv; charset=utf-8; header=present'));
    return pipeline(reportCsv(FINANCE_COLUMNS, parts), res);
  }
  const file = await reportXlsx(FINANCE_COLUMNS, parts);
  if (!file) return sendProblem(res, problem('invalid_request', `An Excel file has at most ${MAX_XLSX_ROWS} rows: choose CSV.`));
  res.writeHead(200, { ...fileHeaders(name, XLSX_TYPE), 'Content-Length': file.length }).end(file);
};
