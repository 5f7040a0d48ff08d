import type { ParquetWriter } from 'hyparquet-writer';
import { csvText } from '../../base/csv.ts';
import { dayOf } from '../../base/utc-day.ts';
import { eventColumn, type EventColumnName, type EventColumnType } from './event-columns.ts';
import type { EventRow } from './read-events.ts';

/** Formats of a raw export, the default first. */
export const EVENT_FORMATS = ['csv', 'parquet'] as const;
export type EventFormat = (typeof EVENT_FORMATS)[number];
export const EVENT_MEDIA_TYPES: Readonly<Record<EventFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  parquet: 'application/vnd.apache.parquet',
};

/** A file of events, in parts: one for each page. */
export const writeEvents = (
  format: EventFormat,
  columns: readonly EventColumnName[],
  pages: AsyncIterable<readonly EventRow[]>,
): AsyncGenerator<string | Uint8Array> => (format === 'csv' ? eventsCsv(columns, pages) : eventsParquet(columns, pages));

async function* eventsCsv(columns: readonly EventColumnName[], pages: AsyncIterable<readonly EventRow[]>): AsyncGenerator<string> {
  yield csvText([columns]);
  for await (const rows of pages) {
    if (rows.length > 0) yield csvText(rows.map((row) => columns.map((name) => csvValue(row[name] ?? null))));
  }
}

const csvValue = (value: string | number | Date | null): string | number | null => (value instanceof Date ? value.toISOString() : value);

type Schema = ConstructorParameters<typeof ParquetWriter>[0]['schema'];

/** The physical type of each column type, and what it means. */
const PARQUET_TYPES = {
  date: { type: 'INT32', converted_type: 'DATE' },
  timestamp: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT32' },
  long: { type: 'INT64' },
} as const satisfies Readonly<Record<EventColumnType, Omit<Schema[number], 'name'>>>;

/** Apache Parquet with Snappy compression; a page is a row group, so that no more is held in memory. */
async function* eventsParquet(columns: readonly EventColumnName[], pages: AsyncIterable<readonly EventRow[]>): AsyncGenerator<Uint8Array> {
  // Loaded with the first file: most replicas write none.
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
  const writer = new ByteWriter();
  const schema: Schema = [
    { name: 'events', num_children: columns.length },
    ...columns.map((name): Schema[number] => {
      const { type, isNullable } = eventColumn(name);
      return { name, ...PARQUET_TYPES[type], repetition_type: isNullable ? 'OPTIONAL' : 'REQUIRED' };
    }),
  ];
  const parquet = new ParquetWriter({ writer, schema, createdBy: 'ad-server' });
  const written = (): Uint8Array => {
    const bytes = writer.getBytes().slice();
    writer.index = 0;
    return bytes;
  };
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    const columnData = columns.map((name) => {
      const { type } = eventColumn(name);
      return { name, data: rows.map((row) => parquetValue(type, row[name] ?? null)), offsetIndex: false };
    });
    await parquet.write({ columnData, rowGroupSize: rows.length });
    yield written();
  }
  await parquet.finish();
  yield written();
}

const parquetValue = (type: EventColumnType, value: string | number | Date | null): string | number | bigint | Date | null => {
  if (value === null) return null;
  if (type === 'long') return BigInt(value as string);
  return type === 'date' ? dayOf(Date.parse(value as string)) : value;
};
