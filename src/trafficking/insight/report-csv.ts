import type { CampaignReport } from './report.ts';

/** The report as RFC 4180 CSV: one column an event type, CRLF, a header line, no totals (a spreadsheet makes its own). */
export const reportCsv = ({ rows, totals }: CampaignReport): string => {
  const types = Object.keys(totals.events).sort();
  const header = ['day', 'line_item_id', 'line_item', 'creative_id', 'serves', 'impressions', 'clicks', 'ctr'];
  const lines = [
    [...header, ...types.map((type) => `event_${type}`), 'spend', 'ecpm'],
    ...rows.map((row) => [
      row.day,
      row.line_item_id,
      row.line_item ?? '',
      row.creative_id,
      row.serves,
      row.impressions,
      row.clicks,
      row.ctr,
      ...types.map((type) => row.events[type] ?? 0),
      row.spend,
      row.ecpm,
    ]),
  ];
  return lines.map((line) => line.map(cell).join(',') + '\r\n').join('');
};

/** A text that a spreadsheet would take for a formula is kept one by an apostrophe in front of it. https://owasp.org/www-community/attacks/CSV_Injection */
const cell = (value: string | number): string => {
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
