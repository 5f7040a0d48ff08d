import { sizeInWords } from '../../catalog/model/asset-rules.ts';
import { ImportFault } from '../import-fault.ts';

export const MAX_SHEET_BYTES = 32 * 1024 * 1024;
export const MAX_SHEET_ROWS = 20_000;

export type Cell = string | number | boolean | Date | null;
export type Rows = readonly (readonly Cell[])[];

/**
 * The rows of a CSV file, or of the first sheet of an XLSX file.
 *
 * @throws ImportFault when it cannot be read, or is larger than a spreadsheet of bookings is
 */
export const readSheet = async (name: string, bytes: Buffer): Promise<Rows> => {
  if (bytes.length > MAX_SHEET_BYTES)
    throw new ImportFault(`${name} has ${sizeInWords(bytes.length)}; at most ${sizeInWords(MAX_SHEET_BYTES)} are read: divide it`);
  const rows = bytes.toString('latin1', 0, 2) === 'PK' ? await readXlsx(name, bytes) : await readCsv(name, bytes);
  if (rows.length > MAX_SHEET_ROWS) throw new ImportFault(`${name} has ${rows.length} rows; at most ${MAX_SHEET_ROWS} are read: divide it`);
  return rows;
};

const readXlsx = async (name: string, bytes: Buffer): Promise<Rows> => {
  const { readSheet: read } = await import('read-excel-file/node');
  try {
    return (await read(bytes)) as Rows;
  } catch (fault) {
    throw new ImportFault(`${name} is no XLSX file that can be read, or half of one: ${(fault as Error).message}`);
  }
};

const readCsv = async (name: string, bytes: Buffer): Promise<Rows> => {
  const { parse } = await import('csv-parse/sync');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ImportFault(`${name} is no text in UTF-8: save it as "CSV UTF-8"`);
  }
  // Spreadsheets separate by what their language uses.
  const [first = ''] = text.split('\n', 1);
  const delimiter = [',', ';', '\t'].sort((a, b) => first.split(b).length - first.split(a).length)[0]!;
  try {
    return parse(text, { delimiter, bom: true, relax_column_count: true, skip_empty_lines: false });
  } catch (fault) {
    throw new ImportFault(`${name} is no CSV file that can be read, or half of one: ${(fault as Error).message}`);
  }
};

/** `row 7` */
export const rowName = (row: number): string => `row ${row + 1}`;

/** `B7` */
export const cellName = (column: number, row: number): string => {
  let letters = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  return `${letters}${row + 1}`;
};
