import { dateOfDay, dayOf } from '../../base/utc-day.ts';
import { usdFromMicros } from '../../catalog/model/money.ts';
import type { ReportQuestion, ReportTotals, StoredReportRow } from '../../events/postgres/campaign-report.ts';
import { show } from '../openapi/columns.ts';
import { REPORT_COLUMNS, type CampaignReport, type ReportRow } from './report-columns.ts';

export const reportRow = (row: StoredReportRow): ReportRow => ({ ...show(REPORT_COLUMNS.keys, row), ...show(REPORT_COLUMNS.figures, row) });

/** A page of a campaign's report from its stored counts, with the totals of all pages. */
export const campaignReport = (
  { campaignId, from, to }: ReportQuestion,
  rows: readonly StoredReportRow[],
  totals: ReportTotals,
): CampaignReport => ({
  campaign_id: campaignId,
  from,
  to,
  row_count: totals.rows,
  rows: rows.map(reportRow),
  totals: show(REPORT_COLUMNS.figures, totals),
  flat_fees: usdFromMicros(totals.feeMicros),
});

/** A page takes up to 10 ms of the event loop, most of it to write CSV. */
export const REPORT_PAGE = { default: 500, max: 500 };

/**
 * All rows of a report in pages. Few days are read at a time, because a query computes all rows of its
 * days.
 */
export async function* readWholeReport(
  { campaignId, from, to }: ReportQuestion,
  { rows: rowCount }: Pick<ReportTotals, 'rows'>,
  readRows: (question: ReportQuestion, page: { readonly limit: number; readonly offset: number }) => Promise<readonly StoredReportRow[]>,
): AsyncGenerator<readonly ReportRow[]> {
  const [first, last] = [dayOf(Date.parse(from)), dayOf(Date.parse(to))];
  const limit = REPORT_PAGE.max;
  const daysAtOnce = Math.max(1, Math.floor((limit * (last - first + 1)) / Math.max(rowCount, 1)));
  for (let day = first; day <= last; day += daysAtOnce) {
    const days = { campaignId, from: dateOfDay(day), to: dateOfDay(Math.min(day + daysAtOnce - 1, last)) };
    for (let offset = 0; ; offset += limit) {
      const rows = await readRows(days, { limit, offset });
      yield rows.map(reportRow);
      if (rows.length < limit) break;
    }
  }
}
