import { pipeline } from 'node:stream/promises';
import type { SheetData } from 'write-excel-file/node';
import { XLSX_TYPE } from '../api/openapi-document.ts';
import { fileHeaders, refuse, type FileReply, type Refused } from '../api/route.ts';
import { csvText } from '../base/csv.ts';
import type { ReportColumn } from './report-fields.ts';
import type { ReportRow } from './shown-row.ts';

/** Rows of an Excel file: more would hold the event loop for longer than 100 ms. CSV has no limit. */
export const MAX_XLSX_ROWS = 10_000;

const EXCEL_FORMATS: Partial<Readonly<Record<ReportColumn['kind'], string>>> = { count: '#,##0', share: '0.00%', money: '#,##0.00####' };

/** Rows in parts, as they are read. */
type Parts = AsyncIterable<readonly ReportRow[]> | Iterable<readonly ReportRow[]>;

/** CSV with a header line and without totals. */
export async function* reportCsv(columns: readonly ReportColumn[], parts: Parts): AsyncGenerator<string> {
  yield csvText([columns.map(({ name }) => name)]);
  for await (const rows of parts) yield csvText(rows.map((row) => columns.map(({ name }) => row[name])));
}

/**
 * An Excel workbook with one sheet: heads in words, those of amounts with their currency, numbers as numbers. Texts are stored as texts, which
 * Excel does not run. undefined: there are more than MAX_XLSX_ROWS rows.
 */
export const reportXlsx = async (columns: readonly ReportColumn[], parts: Parts, currency: string | null): Promise<Buffer | undefined> => {
  const headOf = ({ label, kind }: ReportColumn): string => (kind === 'money' && currency !== null ? `${label}, ${currency}` : label);
  const sheet: SheetData = [columns.map((column) => ({ value: headOf(column), type: String, fontWeight: 'bold' as const }))];
  for await (const rows of parts) {
    if (sheet.length + rows.length > MAX_XLSX_ROWS + 1) return undefined;
    for (const row of rows) sheet.push(columns.map(({ name, kind }) => cellOf(row[name] ?? null, kind)));
  }
  const { default: writeXlsxFile } = await import('write-excel-file/node');
  return writeXlsxFile(sheet, {
    sheet: 'Report',
    stickyRowsCount: 1,
    columns: columns.map(({ kind }) => ({ width: kind === 'name' ? 32 : 16 })),
  }).toBuffer();
};

export interface TableFile {
  /** Of the file, without its ending. */
  readonly name: string;
  readonly format: 'csv' | 'xlsx';
  readonly columns: readonly ReportColumn[];
  /** Of all amounts; null: a column says it. */
  readonly currency: string | null;
  /** What a person can do when there are too many rows for Excel: `choose CSV`. */
  readonly instead: string;
}

/** Answers with rows as a file that a browser saves. Refuses before it begins, or not at all. */
export const writeTable = async (
  begin: Parameters<FileReply['write']>[0],
  { name, format, columns, currency, instead }: TableFile,
  parts: Parts,
): Promise<Refused | undefined> => {
  const fileName = `${name}.${format}`;
  if (format === 'csv') {
    await pipeline(reportCsv(columns, parts), begin(fileHeaders(fileName, 'text/csv; charset=utf-8; header=present')));
    return undefined;
  }
  const file = await reportXlsx(columns, parts, currency);
  if (!file) return refuse('invalid_request', `An Excel file has at most ${MAX_XLSX_ROWS} rows: ${instead}.`);
  begin({ ...fileHeaders(fileName, XLSX_TYPE), 'Content-Length': String(file.length) }).end(file);
  return undefined;
};

/** Characters that XML 1.0 cannot hold: Excel refuses a file with one of them. */
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const cellOf = (value: string | number | null, kind: ReportColumn['kind']): SheetData[number][number] => {
  if (value === null) return null;
  if (typeof value === 'string') return { value: value.replaceAll(NOT_IN_XML, '\ufffd'), type: String };
  const format = EXCEL_FORMATS[kind];
  return { value, type: Number, ...(format !== undefined && { format }) };
};
