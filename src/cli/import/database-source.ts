import { REVIVE_TABLES } from '../../imports/files/revive-tables.ts';
import { ImportFault } from '../../imports/import-fault.ts';
import type { ReviveSource } from '../../imports/revive/revive-source.ts';
import type { ReviveDatabase } from './open-database.ts';

/** The tables of Revive in its database. */
export const databaseSource = (database: ReviveDatabase, prefix: string): ReviveSource => {
  if (!/^\w*$/.test(prefix)) throw new ImportFault('The prefix of tables has letters, digits and underscores, such as rv_', [], 'prefix');
  return {
    rows: async (table) => {
      const { texts, numbers } = REVIVE_TABLES[table];
      try {
        return await database.query(`select ${[...texts, ...numbers].join(', ')} from ${prefix}${table}`);
      } catch (fault) {
        const said = (fault as Error).message;
        throw new ImportFault(`The table ${prefix}${table} cannot be read as one of Revive 5 or 6: ${said}`, [], 'prefix');
      }
    },
    hoursOf: async (bannerId) => {
      const rows = await database.query(
        `select zone_id, date_time, impressions, clicks from ${prefix}data_summary_ad_hourly where ad_id = ? order by date_time`,
        [bannerId],
      );
      return rows.map(({ zone_id, date_time, impressions, clicks }) => ({
        ...{ zone_id: Number(zone_id), hour: String(date_time), impressions: Number(impressions), clicks: Number(clicks) },
      }));
    },
    picture: async (filename) => {
      const [row] = await database.query(`select contents from ${prefix}images where filename = ?`, [filename]);
      return Buffer.isBuffer(row?.['contents']) ? row['contents'] : undefined;
    },
  };
};
