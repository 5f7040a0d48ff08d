import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { PARQUET_DECOMPRESSORS } from '../../src/events/export/parquet-file.ts';

/** Columns of a sampled decision that every sink has, as a reader finds them. */
export interface DecisionText {
  readonly placement_id: string;
  readonly outcome: string;
  readonly token_id: string | null;
  readonly line_item_id: number | null;
  readonly offered: string;
}

const filesOf = async (from: string, end: string): Promise<readonly string[]> => {
  if ((await stat(from)).isFile()) return [from];
  const names = await readdir(from, { recursive: true });
  return names.filter((name) => name.endsWith(end)).map((name) => path.join(from, name));
};

/** The decisions of a file of lines, or of all below a folder. */
export const linesOf = async (from: string): Promise<readonly DecisionText[]> => {
  const texts = await Promise.all((await filesOf(from, '.ndjson')).map((file) => readFile(file, 'utf8')));
  return texts.flatMap((text) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as DecisionText),
  );
};

/** The decisions of all Parquet files below a folder. */
export const parquetRows = async (folder: string): Promise<readonly DecisionText[]> => {
  const files = await Promise.all((await filesOf(folder, '.parquet')).map((file) => readFile(file)));
  const rows = await Promise.all(
    files.map((bytes) => {
      const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
      return parquetReadObjects({ file, compressors: PARQUET_DECOMPRESSORS });
    }),
  );
  return rows.flat() as unknown as readonly DecisionText[];
};
