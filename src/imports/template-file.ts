import { sheetTemplate, templateRows } from './sheet/sheet-columns.ts';

/** The spreadsheet to fill in. */
export const templateFile = async (format: 'xlsx' | 'csv') => {
  const name = `bookings.${format}`;
  if (format === 'csv') return { name, type: 'text/csv; charset=utf-8', bytes: sheetTemplate() };
  const [heads, example] = templateRows();
  const { default: writeXlsxFile } = await import('write-excel-file/node');
  const bytes = await writeXlsxFile(
    [
      heads.map((value) => ({ value, type: String, fontWeight: 'bold' as const })),
      // Texts, which are read as they are: a date or an amount of a spreadsheet has the form of its language.
      example.map((value) => ({ value, type: String })),
    ],
    { sheet: 'Bookings', stickyRowsCount: 1, columns: heads.map((head) => ({ width: Math.max(14, head.length + 2) })) },
  ).toBuffer();
  return { name, type: '', bytes };
};
