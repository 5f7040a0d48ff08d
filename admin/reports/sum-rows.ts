import type { ReportFigures } from '../../src/reports/record-report/report-columns.ts';

const SUMMED = [
  ...['serves', 'gross_impressions', 'filtered_impressions', 'provisional_impressions', 'impressions', 'gross_clicks'],
  ...['filtered_clicks', 'provisional_clicks', 'clicks', 'viewable', 'spend'],
] as (keyof ReportFigures & ('serves' | 'impressions' | 'clicks' | 'spend'))[];

/** The sums of all rows with one key, in the order of their first rows; rates are those of the sums. */
export const sumRows = <Row extends ReportFigures>(rows: readonly Row[], keyOf: (row: Row) => string | number): readonly Row[] => {
  const sums = new Map<string | number, Row>();
  for (const row of rows) {
    const before = sums.get(keyOf(row));
    const added = before && Object.fromEntries(SUMMED.map((name) => [name, before[name] + row[name]]));
    sums.set(keyOf(row), { ...(before ?? row), ...added });
  }
  return Array.from(sums.values(), (sum) => {
    const { impressions, clicks, spend } = sum;
    return { ...sum, ctr: impressions === 0 ? 0 : clicks / impressions, ecpm: impressions === 0 ? 0 : (1_000 * spend) / impressions };
  });
};
