import { csvText } from '../../base/csv.ts';
import { eventColumns, type EventColumnName } from './event-columns.ts';
import { createParquetFile } from './parquet-file.ts';
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

/** A page is a row group. */
async function* eventsParquet(columns: readonly EventColumnName[], pages: AsyncIterable<readonly EventRow[]>): AsyncGenerator<Uint8Array> {
  const file = await createParquetFile(eventColumns(columns));
  for await (const rows of pages) if (rows.length > 0) yield file.add(rows);
  yield file.end();
}
