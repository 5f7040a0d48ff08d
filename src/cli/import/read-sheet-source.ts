import type { Imported } from '../../imports/imported.ts';
import { importSheet } from '../../imports/sheet/import-sheet.ts';
import { MAX_SHEET_BYTES, readSheet } from '../../imports/sheet/read-sheet.ts';
import type { BookingsClient } from '../bookings-client.ts';
import { CliFault } from '../cli-fault.ts';
import type { Values } from '../options.ts';
import { headOf, readSourceFile } from './read-source-file.ts';

/** A spreadsheet as bookings that a publisher gets besides its own. */
export const readSheetSource = async (values: Values, [file, ...more]: readonly string[], client: BookingsClient): Promise<Imported> => {
  if (file === undefined || more.length > 0)
    throw new CliFault('ads import csv needs one file, .csv or .xlsx: ads import csv --template writes one to fill in', 2);
  if (values.publisher === undefined) throw new CliFault('ads import csv needs --publisher ID: whose bookings they are', 2);
  const rows = await readSheet(file, await readSourceFile(file, MAX_SHEET_BYTES, 'divide it'));
  return importSheet({ name: file, rows, head: await headOf(client, values.publisher), prefix: values.name ?? 'sheet' });
};
