import { setImmediate } from 'node:timers/promises';
import { DEFAULT_EVENT_COLUMNS, EVENT_COLUMN_NAMES, eventColumns, type EventColumnName } from '../../export/event-columns.ts';
import { createParquetFile, PARQUET_DECOMPRESSORS } from '../../export/parquet-file.ts';
import { SinkRefusal, type SinkEvent, type SinkHour } from '../event-sink.ts';
import { EVENTS_FOLDER, type LakeFile } from './lake-log.ts';
import type { LakeStore } from './lake-store.ts';

/** The events of one file at most: what compaction holds in memory. */
export const MAX_ROWS = 400_000;
/** Rows of a group in the file of a replica: to encode them keeps it from ads for about 10 ms. */
export const SMALL_GROUP = 2_000;
/** The same in a file that a command writes: readers are faster with large ones. */
export const LARGE_GROUP = 100_000;

/** `user_hash` only in a lake that asks for it. */
export const lakeColumns = (keepsUserHash: boolean): readonly EventColumnName[] =>
  keepsUserHash ? EVENT_COLUMN_NAMES : DEFAULT_EVENT_COLUMNS;

/** YYYY-MM-DDTHH of `counted_at`, UTC. */
export const hourOf = ({ counted_at }: Pick<SinkEvent, 'counted_at'>): string => counted_at.toISOString().slice(0, 13);

/** By who is asked for most, then in time: the minima and maxima of a row group then exclude most of a day. */
const inOrder = (a: SinkEvent, b: SinkEvent): number =>
  a.publisher_id - b.publisher_id || a.line_item_id - b.line_item_id || a.counted_at.getTime() - b.counted_at.getTime();

interface WrittenFile {
  readonly columns: readonly EventColumnName[];
  readonly groupRows: number;
  /** In the name of the file, behind its hour. */
  readonly id: string;
}

/** The events of an hour as a file, sorted, which counts when a manifest names it. */
export const writeLakeFile = async (
  store: LakeStore,
  { day, hour }: SinkHour,
  events: readonly SinkEvent[],
  { columns, groupRows, id }: WrittenFile,
  signal?: AbortSignal,
): Promise<LakeFile> => {
  const sorted = events.toSorted(inOrder);
  const parts: Uint8Array[] = [];
  try {
    const file = await createParquetFile(eventColumns(columns));
    for (let from = 0; from < sorted.length; from += groupRows) {
      parts.push(await file.add(sorted.slice(from, from + groupRows)));
      await setImmediate();
      signal?.throwIfAborted();
    }
    parts.push(await file.end());
  } catch (fault) {
    if (signal?.aborted) throw fault;
    throw new SinkRefusal(`the events are no Parquet: ${(fault as Error).message}`, { cause: fault });
  }
  const bytes = Buffer.concat(parts);
  // An hour may be that of another date than the day.
  const name = `${EVENTS_FOLDER}/dt=${day}/hour=${hour.slice(11)}/part-${hour.replaceAll('-', '')}-${id}.parquet`;
  await store.put(name, bytes, signal);
  const billed_micros = events.reduce((sum, { billed_micros: micros }) => sum + micros, 0);
  return { name, hour, rows: events.length, bytes: bytes.length, billed_micros };
};

/** The values of a file as its events had them; columns that it does not have are null. */
export const readLakeFile = async <Name extends EventColumnName>(
  store: LakeStore,
  name: string,
  columns: readonly Name[],
  signal?: AbortSignal,
): Promise<readonly Pick<SinkEvent, Name>[]> => {
  const { parquetMetadata, parquetReadObjects } = await import('hyparquet');
  const bytes = await store.get(name, signal);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  const metadata = parquetMetadata(file);
  const has = new Set(metadata.schema.map((element) => element.name));
  const rows = await parquetReadObjects({
    file,
    metadata,
    columns: columns.filter((one) => has.has(one)),
    compressors: PARQUET_DECOMPRESSORS,
  });
  return rows.map((row) => Object.fromEntries(columns.map((one) => [one, valueOf(one, row[one])])) as unknown as Pick<SinkEvent, Name>);
};

const valueOf = (name: EventColumnName, value: unknown): unknown => {
  if (value === undefined) return null;
  if (typeof value === 'bigint') return Number(value);
  return name === 'day' ? (value as Date).toISOString().slice(0, 10) : value;
};

/** Of events with one id the one with the highest version. */
export const withoutRepeats = (events: Iterable<SinkEvent>): readonly SinkEvent[] => {
  const kept = new Map<string, SinkEvent>();
  for (const event of events) {
    const before = kept.get(event.event_id);
    if (before === undefined || before.version < event.version) kept.set(event.event_id, event);
  }
  return [...kept.values()];
};
