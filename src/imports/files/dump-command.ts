import { REVIVE_TABLES } from './revive-tables.ts';

/** Tables besides those that are read whole. */
export const IMAGES = 'images';
export const HOURS = 'data_summary_ad_hourly';

/** How a dump with all that is read is made. Statistics are the most of a database, and one table of them is read. */
export const dumpCommand = (prefix: string): string =>
  `mysqldump --single-transaction --hex-blob DATABASE ${[...Object.keys(REVIVE_TABLES), IMAGES, HOURS].map((name) => prefix + name).join(' ')}`;
