import zlib from 'node:zlib';
import type { ParquetWriter } from 'hyparquet-writer';
import { dayOf } from '../../base/utc-day.ts';
import type { EventColumn, EventColumnType } from './event-columns.ts';

type Schema = ConstructorParameters<typeof ParquetWriter>[0]['schema'];

/** The physical type of each column type, and what it means. */
const PARQUET_TYPES = {
  date: { type: 'INT32', converted_type: 'DATE' },
  timestamp: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT32' },
  long: { type: 'INT64' },
} as const satisfies Readonly<Record<EventColumnType, Omit<Schema[number], 'name'>>>;

/** Node has Zstandard from 22.15. */
const { zstdCompressSync, zstdDecompressSync } = zlib as Partial<
  Record<'zstdCompressSync' | 'zstdDecompressSync', (bytes: Uint8Array) => Uint8Array>
>;
const COMPRESSION =
  zstdCompressSync === undefined ? ({ codec: 'SNAPPY' } as const) : ({ codec: 'ZSTD', compressors: { ZSTD: zstdCompressSync } } as const);
/** For a reader of such files, beside the Snappy that it has. */
export const PARQUET_DECOMPRESSORS = zstdDecompressSync === undefined ? {} : { ZSTD: zstdDecompressSync };

/** A column of a file. */
export interface FileColumn extends Pick<EventColumn, 'type' | 'isNullable'> {
  readonly name: string;
}
/** By the names of the columns. */
export type FileRow = Readonly<Record<string, string | number | Date | null | undefined>>;

/**
 * An Apache Parquet file, compressed by Zstandard, or by Snappy where Node has none. No more than a row group is
 * held in memory. `add` rejects when a value does not have the type of its column.
 */
export const createParquetFile = async (columns: readonly FileColumn[]) => {
  // Loaded with the first file: most replicas write none.
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
  const writer = new ByteWriter();
  const schema: Schema = [
    { name: 'events', num_children: columns.length },
    ...columns.map(({ name, type, isNullable }): Schema[number] => ({
      ...{ name, ...PARQUET_TYPES[type], repetition_type: isNullable ? 'OPTIONAL' : 'REQUIRED' },
    })),
  ];
  const parquet = new ParquetWriter({ writer, schema, createdBy: 'ad-server', ...COMPRESSION });
  const written = (): Uint8Array => {
    const bytes = writer.getBytes().slice();
    writer.index = 0;
    return bytes;
  };
  return {
    /** The next bytes of the file: those of a row group. */
    add: async (rows: readonly FileRow[]): Promise<Uint8Array> => {
      const columnData = columns.map(({ name, type }) => ({
        ...{ name, data: rows.map((row) => parquetValue(type, row[name] ?? null)), offsetIndex: false },
      }));
      await parquet.write({ columnData, rowGroupSize: rows.length });
      return written();
    },
    /** The last bytes. */
    end: async (): Promise<Uint8Array> => {
      await parquet.finish();
      return written();
    },
  };
};

const parquetValue = (type: EventColumnType, value: string | number | Date | null): string | number | bigint | Date | null => {
  if (value === null) return null;
  if (type === 'long') return BigInt(value as string | number);
  return type === 'date' ? dayOf(Date.parse(value as string)) : value;
};
