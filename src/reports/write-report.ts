import writeXlsxFile, { type SheetData } from 'write-excel-file/node';
import { csvText } from '../base/csv.ts';
import type { ReportColumn } from './report-fields.ts';
import type { ReportRow } from './run-report.ts';

/** Rows of an Excel file: more would hold the event loop for longer than 100 ms. CSV has no limit. */
export const MAX_XLSX_ROWS = 10_000;

const EXCEL_FORMATS: Partial<Readonly<Record<ReportColumn['kind'], string>>> = { count: '#,##0', share: '0.00%', usd: '#,##0.00####' };

/** CSV with a header line and without totals. */
export async function* reportCsv(columns: readonly ReportColumn[], parts: AsyncIterable<readonly ReportRow[]>): AsyncGenerator<string> {
  yield csvText([columns.map(({ name }) => name)]);
  for await (const rows of parts) yield csvText(rows.map((row) => columns.map(({ name }) => row[name])));
}

/**
 * An Excel workbook with one sheet: heads in words, numbers as numbers. Texts are stored as texts, which
 * Excel does not run. undefined: there are more than MAX_XLSX_ROWS rows.
 */
export const reportXlsx = async (
  columns: readonly ReportColumn[],
  parts: AsyncIterable<readonly ReportRow[]>,
): Promise<Buffer | undefined> => {
  const sheet: SheetData = [columns.map(({ label }) => ({ value: label, type: String, fontWeight: 'bold' as const }))];
  for await (const rows of parts) {
    if (sheet.length + rows.length > MAX_XLSX_ROWS + 1) return undefined;
    for (const row of rows) sheet.push(columns.map(({ name, kind }) => cellOf(row[name] ?? null, kind)));
  }
  return writeXlsxFile(sheet, {
    sheet: 'Report',
    stickyRowsCount: 1,
    columns: columns.map(({ kind }) => ({ width: kind === 'name' ? 32 : 16 })),
  }).toBuffer();
};

/** Characters that XML 1.0 cannot hold: Excel refuses a file with one of them. */
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const cellOf = (value: string | number | null, kind: ReportColumn['kind']): SheetData[number][number] => {
  if (value === null) return null;
  if (typeof value === 'string') return { value: value.replaceAll(NOT_IN_XML, '\ufffd'), type: String };
  const format = EXCEL_FORMATS[kind];
  return { value, type: Number, ...(format !== undefined && { format }) };
};
