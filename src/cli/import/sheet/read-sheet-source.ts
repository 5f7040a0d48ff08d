import type { BookingsClient } from '../../bookings-client.ts';
import { CliFault } from '../../cli-fault.ts';
import type { Imported } from '../imported.ts';
import type { ImportValues } from '../import-values.ts';
import { importSheet } from './import-sheet.ts';
import { readSheet } from './read-sheet.ts';

/** A spreadsheet as bookings that a publisher gets besides its own. */
export const readSheetSource = async (
  values: ImportValues,
  [file, ...more]: readonly string[],
  client: BookingsClient,
): Promise<Imported> => {
  if (file === undefined || more.length > 0)
    throw new CliFault('ads import csv needs one file, .csv or .xlsx: ads import csv --template writes one to fill in', 2);
  if (values.publisher === undefined) throw new CliFault('ads import csv needs --publisher ID: whose bookings they are', 2);
  const rows = await readSheet(file);
  return importSheet({ name: file, rows, pulled: await client.pull(values.publisher), prefix: values.name ?? 'sheet' });
};
