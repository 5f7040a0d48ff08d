import { CliFault } from '../../cli-fault.ts';
import type { Imported } from '../imported.ts';
import type { ImportValues } from '../import-values.ts';
import { importRevive } from './import-revive.ts';
import { openDatabase } from './open-database.ts';
import { isTimeZone } from '../../../catalog/checks/formats.ts';
import { readRevive } from './read-revive.ts';

/** A database of Revive as bookings. */
export const readReviveSource = async (values: ImportValues): Promise<Imported> => {
  const { from, prefix, agency, images, domain, currency, live, name = 'revive', 'time-zone': timeZone } = values;
  if (from === undefined) throw new CliFault('ads import revive needs --from mysql://user:password@host/name', 2);
  if (agency !== undefined && !/^\d{1,9}$/.test(agency)) throw new CliFault('--agency must be the number of a manager account', 2);
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw new CliFault(`--time-zone ${timeZone} is no IANA name such as Europe/Berlin`, 2);
  if (!/^[a-z0-9-]{1,32}$/.test(name)) throw new CliFault('--name must be 1 to 32 small letters, digits and hyphens', 2);
  const database = await openDatabase(from);
  try {
    const rows = await readRevive({ database, prefix, agencyId: agency === undefined ? undefined : Number(agency), isLiveOnly: live });
    return await importRevive({ rows, files: { database, prefix, images }, name, timeZone, currency, domain });
  } finally {
    await database.close();
  }
};
