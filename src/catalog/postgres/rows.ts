import { sealMark } from '../../base/seal-mark.ts';
import { entityOf, perTable, type EntityTable, type Records } from '../entities/entities.ts';
import type { Entity } from '../entities/define-entity.ts';
import type { Field, Loose, Stored } from '../entities/field.ts';
import type { CatalogRow } from '../model/catalog-reading.ts';
import { parseEndDate, parseStartDate, showEndDate, showStartDate } from '../model/flight-dates.ts';
import { microsFromAmount, amountFromMicros } from '../model/money.ts';

/** The columns of a table, and the mapping between its rows and the records of the trafficking API. */
export interface RowMapping<R> {
  readonly columns: readonly string[];
  /** Of a checked record, without an id that Postgres gives. */
  toRow(record: R): CatalogRow;
  /** Never throws: the check of the record judges what a row holds. */
  toRecord(row: CatalogRow): Loose<R>;
}

interface Cell {
  read(stored: unknown): unknown;
  write(value: unknown): unknown;
}

const asItIs = (value: unknown): unknown => value;
const unlessNull = (value: unknown, convert: (value: unknown) => unknown): unknown =>
  value === null || value === undefined ? null : convert(value);

/**
 * A date that RFC 3339 cannot write (infinity, the year 12000) stays as it is, and the check
 * refuses it.
 */
const date = (parse: (text: string) => number | undefined, show: (ms: number) => string): Cell => ({
  read: (stored) => (stored instanceof Date && Number.isFinite(stored.getTime()) ? show(stored.getTime()) : String(stored)),
  write: (text) => {
    const ms = parse(String(text));
    return ms === undefined ? undefined : new Date(ms);
  },
});

const CELLS: Readonly<Record<Stored, Cell>> = {
  micros: {
    read: (stored) => unlessNull(stored, (micros) => amountFromMicros(Number(micros))),
    write: (value) => unlessNull(value, (amount) => microsFromAmount(Number(amount))),
  },
  // Postgres sends a bigint as text.
  bigint: { read: (stored) => unlessNull(stored, Number), write: asItIs },
  start: date(parseStartDate, showStartDate),
  end: date(parseEndDate, showEndDate),
  json: { read: asItIs, write: JSON.stringify },
  // A record has marks and new values, of which the writer seals the new ones.
  sealed: {
    read: (stored) => Object.fromEntries(Object.entries(stored ?? {}).map(([name, sealed]) => [name, sealMark(String(sealed))])),
    write: JSON.stringify,
  },
};
const PLAIN: Cell = { read: asItIs, write: asItIs };

/** The column of a field; null: it has none. */
export const columnOf = (name: string, { stored, column }: Field): string | null =>
  column === undefined ? (stored === 'micros' ? `${name}_micros` : name) : column;

const rowMapping = ({ fields, columns }: Entity): RowMapping<Readonly<Record<string, unknown>>> => {
  const cells = Object.entries(fields).flatMap(([name, field]) => {
    const column = columnOf(name, field);
    return column === null ? [] : [{ name, column, field, ...(field.stored ? CELLS[field.stored] : PLAIN) }];
  });
  const written = cells.filter(({ field }) => field.absent !== 'generated');
  return {
    columns: [...cells.map(({ column }) => column), ...columns],
    toRow: (record) => {
      const row: Record<string, unknown> = {};
      for (const { name, column, write } of written) row[column] = write(record[name]);
      return row;
    },
    toRecord: (row) => {
      const record: Record<string, unknown> = {};
      for (const { name, column, read } of cells) record[name] = read(row[column]);
      return record;
    },
  };
};

type Rows = { readonly [T in EntityTable]: RowMapping<Records[T]> };

/** The mappings know the names of fields at run time only; their types are those of the definitions they were made from. */
const derived = perTable((table) => rowMapping(entityOf(table))) as Rows;

export const ROWS: Rows = {
  ...derived,
  creatives: {
    ...derived.creatives,
    // The first placement has a column, by which other tables and queries refer to it.
    toRow: (record) => ({ ...derived.creatives.toRow(record), more_placement_ids: record.placement_ids.slice(1) }),
    toRecord: (row) => ({
      ...derived.creatives.toRecord(row),
      placement_ids: [row['placement_id'], row['more_placement_ids'] ?? []].flat(),
    }),
  },
};
