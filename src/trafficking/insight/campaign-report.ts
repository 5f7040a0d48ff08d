import { sumCounts, type ReportQuestion, type StoredReportRow } from '../../events/postgres/campaign-report.ts';
import { show } from '../openapi/columns.ts';
import { REPORT_COLUMNS, type CampaignReport } from './report-columns.ts';

/** A campaign's report from its stored counts. */
export const campaignReport = ({ campaignId, from, to }: ReportQuestion, rows: readonly StoredReportRow[]): CampaignReport => ({
  campaign_id: campaignId,
  from,
  to,
  rows: rows.map((row) => ({ ...show(REPORT_COLUMNS.keys, row), ...show(REPORT_COLUMNS.figures, row) })),
  totals: show(REPORT_COLUMNS.figures, sumCounts(rows)),
});
