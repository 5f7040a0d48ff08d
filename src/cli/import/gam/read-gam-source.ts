import { readFile, stat } from 'node:fs/promises';
import type { BookingsClient } from '../../bookings-client.ts';
import { CliFault } from '../../cli-fault.ts';
import type { Imported } from '../imported.ts';
import type { ImportValues } from '../import-values.ts';
import { MAX_SHEET_BYTES, readSheet } from '../sheet/read-sheet.ts';
import { gamJson, gamReport } from './gam-line-item.ts';
import { importGam } from './import-gam.ts';

/** A report in CSV, or JSON of the API of Google Ad Manager, as bookings that a publisher gets besides its own. */
export const readGamSource = async (
  values: ImportValues,
  [file, ...more]: readonly string[],
  client: BookingsClient,
): Promise<Imported> => {
  if (file === undefined || more.length > 0) throw new CliFault('ads import gam needs one file: a report in .csv, or .json of the API', 2);
  if (values.publisher === undefined) throw new CliFault('ads import gam needs --publisher ID: whose bookings they are', 2);
  const items = file.endsWith('.json') ? gamJson(file, await readText(file)) : gamReport(file, await readSheet(file));
  return importGam({ file, items, pulled: await client.pull(values.publisher), prefix: values.name ?? 'gam' });
};

const readText = async (file: string): Promise<string> => {
  const { size } = await stat(file).catch((fault: NodeJS.ErrnoException) => {
    throw new CliFault(`${file} cannot be read: ${fault.code}`);
  });
  if (size > MAX_SHEET_BYTES) throw new CliFault(`${file} is larger than 32 MB: divide it`);
  return readFile(file, 'utf8');
};
