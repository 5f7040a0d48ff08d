import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { isTimeZone } from '../../catalog/checks/formats.ts';
import type { Imported } from '../../imports/imported.ts';
import { importRevive } from '../../imports/revive/import-revive.ts';
import { readDump } from '../../imports/revive/read-dump.ts';
import type { ReviveSource } from '../../imports/revive/revive-source.ts';
import { CliFault } from '../cli-fault.ts';
import { databaseSource } from './database-source.ts';
import type { Values } from '../options.ts';
import { openDatabase } from './open-database.ts';
import { readImages } from './read-images.ts';
import { readSourceFile } from './read-source-file.ts';

/** The length that a text of JavaScript or a Buffer may have is more. */
const MAX_DUMP_BYTES = 1024 * 1024 * 1024;
const SMALLER = 'make a dump of the tables that are read, as docs/moving-from-revive.md says';

/** A database of Revive, or a dump of it, as bookings. */
export const readReviveSource = async (values: Values): Promise<Imported> => {
  const { from, prefix, agency, images, domain, currency, live, name = 'revive', 'time-zone': timeZone } = values;
  if (from === undefined) throw new CliFault('ads import revive needs --from mysql://user:password@host/name, or a dump', 2);
  if (agency !== undefined && !/^\d{1,9}$/.test(agency)) throw new CliFault('--agency must be the number of a manager account', 2);
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw new CliFault(`--time-zone ${timeZone} is no IANA name such as Europe/Berlin`, 2);
  if (!/^[a-z0-9-]{1,32}$/.test(name)) throw new CliFault('--name must be 1 to 32 small letters, digits and hyphens', 2);
  const agencyId = agency === undefined ? undefined : Number(agency);
  const read = (source: ReviveSource): Promise<Imported> =>
    importRevive({ source, agencyId, isLiveOnly: live, inFolder: readImages(images), name, timeZone, currency, domain });
  if (/\.sql(\.gz)?$/i.test(from)) return read(readDump(await openDump(from), prefix));
  const database = await openDatabase(from);
  try {
    return await read(databaseSource(database, prefix));
  } finally {
    await database.close();
  }
};

const openDump = async (name: string): Promise<Buffer> => {
  const bytes = await readSourceFile(name, MAX_DUMP_BYTES, SMALLER);
  if (!name.toLowerCase().endsWith('.gz')) return bytes;
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: MAX_DUMP_BYTES });
  } catch (fault) {
    const { code, message } = fault as NodeJS.ErrnoException;
    throw new CliFault(code === 'ERR_BUFFER_TOO_LARGE' ? `${name} is too large: ${SMALLER}` : `${name} is half a file: ${message}`);
  }
};
