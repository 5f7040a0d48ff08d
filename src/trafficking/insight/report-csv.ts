import { stringify } from 'csv-stringify/sync';
import { REPORT_COLUMNS, type CampaignReport } from './report-columns.ts';

const COLUMNS = Object.keys({ ...REPORT_COLUMNS.keys, ...REPORT_COLUMNS.figures }) as (keyof CampaignReport['rows'][number])[];

/**
 * The report as RFC 4180 CSV: CRLF, a header line, one column per event type, no totals. A text
 * that a spreadsheet would run as a formula is prefixed with an apostrophe.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
export const reportCsv = ({ rows, totals }: CampaignReport): string => {
  const types = Object.keys(totals.events).sort();
  const header = COLUMNS.flatMap((name) => (name === 'events' ? types.map((type) => `event_${type}`) : [name]));
  const records = rows.map((row) =>
    COLUMNS.flatMap((name) => (name === 'events' ? types.map((type) => row.events[type] ?? 0) : [row[name]])),
  );
  return stringify([header, ...records], {
    record_delimiter: '\r\n',
    // RFC 4180, section 2.6: a field with CR or LF alone is quoted too.
    quote_record_delimiter: true,
    escape_formulas: true,
    // A line feed can also precede a formula; escape_formulas does not cover it.
    cast: { string: (text) => (text.startsWith('\n') ? `'${text}` : text) },
  });
};
