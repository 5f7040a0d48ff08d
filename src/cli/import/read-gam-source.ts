import { gamJson, gamReport } from '../../imports/gam/gam-line-item.ts';
import { importGam } from '../../imports/gam/import-gam.ts';
import type { Imported } from '../../imports/imported.ts';
import { MAX_SHEET_BYTES, readSheet } from '../../imports/sheet/read-sheet.ts';
import type { BookingsClient } from '../bookings-client.ts';
import { CliFault } from '../cli-fault.ts';
import type { Values } from '../options.ts';
import { headOf, readSourceFile } from './read-source-file.ts';

/** A report in CSV, or JSON of the API of Google Ad Manager, as bookings that a publisher gets besides its own. */
export const readGamSource = async (values: Values, [file, ...more]: readonly string[], client: BookingsClient): Promise<Imported> => {
  if (file === undefined || more.length > 0) throw new CliFault('ads import gam needs one file: a report in .csv, or .json of the API', 2);
  if (values.publisher === undefined) throw new CliFault('ads import gam needs --publisher ID: whose bookings they are', 2);
  const bytes = await readSourceFile(file, MAX_SHEET_BYTES, 'divide it');
  const items = file.endsWith('.json') ? gamJson(file, bytes.toString('utf8')) : gamReport(file, await readSheet(file, bytes));
  return importGam({ file, items, head: await headOf(client, values.publisher), prefix: values.name ?? 'gam' });
};
