import { dumpCommand, HOURS, IMAGES } from '../files/dump-command.ts';
import { REVIVE_TABLES, type ReviveTable } from '../files/revive-tables.ts';
import { ImportFault } from '../import-fault.ts';
import { readDumpRows, type DumpReader, type DumpValue } from './dump-rows.ts';
import type { HourRow, ReviveSource, Row } from './revive-source.ts';

/** Tables of which a dump may have none: what they say is a help, and not the bookings. */
const SPARED: readonly string[] = ['preferences', 'account_preference_assoc'];
/**
 * The tables of Revive in a dump of its database, by mysqldump or pg_dump.
 *
 * @throws ImportFault when it is half a dump, or none of Revive
 */
export const readDump = (bytes: Buffer, prefix: string): ReviveSource => {
  if (!/^\w*$/.test(prefix)) throw new ImportFault('The prefix of tables has letters, digits and underscores, such as rv_', [], 'prefix');
  const tables = new Map<string, Row[]>();
  const pictures = new Map<string, Buffer>();
  const hours = new Map<number, HourRow[]>();
  const known = new Set<string>();
  const isWanted = (name: string): boolean => Object.hasOwn(REVIVE_TABLES, name) || name === IMAGES || name === HOURS;
  const nameOf = (table: string): string => (table.startsWith(prefix) ? table.slice(prefix.length) : '');
  readTables(bytes, known, {
    wants: (table) => isWanted(nameOf(table)),
    table: (table) => known.add(table),
    row: (table, columns, values) => {
      const name = nameOf(table);
      const valueOf = (column: string): DumpValue => values[columns.indexOf(column)] ?? null;
      known.add(table);
      if (name === IMAGES) {
        const contents = valueOf('contents');
        if (contents) pictures.set(textOf(valueOf('filename')) ?? '', fromBytea(contents));
      } else if (name === HOURS) {
        const [ad, zone] = [Number(valueOf('ad_id')), Number(valueOf('zone_id'))];
        const counts = { impressions: Number(valueOf('impressions') ?? 0), clicks: Number(valueOf('clicks') ?? 0) };
        const rows = hours.get(ad) ?? [];
        rows.push({ zone_id: zone, hour: textOf(valueOf('date_time')) ?? '', ...counts });
        hours.set(ad, rows);
      } else {
        const rows = tables.get(name) ?? [];
        rows.push(rowOf(name as ReviveTable, valueOf));
        tables.set(name, rows);
      }
    },
  });
  if (!known.has(`${prefix}banners`)) throw notRevive(prefix, known);
  const missing = Object.keys(REVIVE_TABLES).filter((name) => !known.has(prefix + name) && !SPARED.includes(name));
  if (missing.length > 0) throw new ImportFault(`It has no table ${prefix}${missing[0]}. All that is read are in: ${dumpCommand(prefix)}`);
  return {
    rows: (table) => Promise.resolve(tables.get(table) ?? []),
    hoursOf: (bannerId) => Promise.resolve(hours.get(bannerId) ?? []),
    picture: (filename) => Promise.resolve(pictures.get(filename)),
  };
};

/** What has no table is no dump, and not the half of one. */
const readTables = (bytes: Buffer, known: ReadonlySet<string>, reader: DumpReader): void => {
  try {
    readDumpRows(bytes, reader);
  } catch (fault) {
    if (!(fault instanceof ImportFault) || known.size > 0) throw fault;
  }
};

const notRevive = (prefix: string, known: ReadonlySet<string>): ImportFault => {
  const other = [...known].find((name) => name.endsWith('banners'));
  if (other !== undefined) {
    const named = other.slice(0, -'banners'.length);
    return new ImportFault(`Its tables begin with "${named}", and not with "${prefix}"`, [], 'prefix');
  }
  return new ImportFault(
    known.size === 0
      ? 'It is no dump of a database: it has no tables. A dump in the custom format of pg_dump has to be made again with --format=plain'
      : `It is no dump of Revive 5 or 6: it has no table ${prefix}banners`,
  );
};

const textOf = (value: DumpValue): string | null => (value === null ? null : value.toString('utf8'));

const rowOf = (table: ReviveTable, valueOf: (column: string) => DumpValue): Row => {
  const { texts, numbers } = REVIVE_TABLES[table];
  return Object.fromEntries<string | number | null>([
    ...texts.map((column) => [column, textOf(valueOf(column))] as const),
    ...numbers.map((column) => {
      const text = textOf(valueOf(column));
      return [column, text === null ? null : Number(text)] as const;
    }),
  ]);
};

/** As PostgreSQL writes bytes: `\x8950…`. */
const fromBytea = (value: Buffer): Buffer =>
  value[0] === 92 && value[1] === 120 ? Buffer.from(value.toString('latin1', 2), 'hex') : Buffer.from(value);
