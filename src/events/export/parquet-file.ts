import zlib from 'node:zlib';
import type { ParquetWriter } from 'hyparquet-writer';
import { dayOf } from '../../base/utc-day.ts';
import type { EventColumnType } from './event-columns.ts';

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
export interface FileColumn {
  readonly name: string;
  readonly type: EventColumnType;
  readonly isNullable: boolean;
}
/** By the names of the columns. */
export type FileRow = Readonly<Record<string, string | number | Date | null | undefined>>;

export interface ParquetFile {
  /** The next bytes of the file: those of a row group. */
  add(rows: readonly FileRow[]): Promise<Uint8Array>;
  /** The last bytes. */
  end(): Promise<Uint8Array>;
}

/**
 * An Apache Parquet file, compressed by Zstandard, or by Snappy where Node has none. No more than a row group is
 * held in memory. `add` rejects when a value does not have the type of its column.
 */
export const createParquetFile = async (columns: readonly FileColumn[]): Promise<ParquetFile> => {
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
    add: async (rows) => {
      const columnData = columns.map(({ name, type }) => ({
        ...{ name, data: rows.map((row) => parquetValue(type, row[name] ?? null)), offsetIndex: false },
      }));
      await parquet.write({ columnData, rowGroupSize: rows.length });
      return written();
    },
    end: async () => {
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
