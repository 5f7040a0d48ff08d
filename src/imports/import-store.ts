import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Knex } from 'knex';
import type { Ids } from '../access/scope.ts';
import type { ImportWire } from './import-api.ts';
import type { Declared } from './imported.ts';
import type { ReadFile, ReadImport } from './read-import.ts';

/** What an import books, and where it is in the file. */
export interface ImportContent extends Pick<ReadImport, 'lines' | 'places' | 'history'> {
  /** Of a source that has one, and is not added to another. */
  readonly publisher: Declared | undefined;
}

export interface ImportRow extends Omit<ImportWire, 'records' | 'notes_total' | 'created_at' | 'applied_at' | 'api_key'> {
  readonly counts: ImportWire['records'];
  readonly state: string;
  readonly created_at: Date;
  readonly applied_at: Date | null;
}

export type NewImport = Omit<ImportRow, 'id' | 'created_at' | 'applied_at' | 'applied_by'>;

const COLUMNS = [
  ...(['id', 'publisher_id', 'source', 'source_words', 'file_name', 'file_bytes', 'counts', 'notes', 'plan', 'state'] as const),
  ...(['history_days', 'created_at', 'created_by', 'applied_at', 'applied_by'] as const),
] as const;

/** Imports that are not applied are kept for this long. */
const KEPT = '7 days';

/** Stores an import that was read, with its pictures. */
export const addImport = async (
  knex: Knex,
  { notes, plan, counts, ...row }: NewImport,
  content: ImportContent,
  files: readonly ReadFile[],
): Promise<ImportRow> =>
  knex.transaction(async (trx) => {
    await trx('imports').whereNull('applied_at').whereRaw(`created_at < now() - interval '${KEPT}'`).delete();
    const [added] = await trx('imports')
      .insert({
        ...row,
        ...{ notes: JSON.stringify(notes), plan: JSON.stringify(plan), counts: JSON.stringify(counts) },
        content: await promisify(gzip)(JSON.stringify(content)),
      })
      .returning<ImportRow[]>([...COLUMNS]);
    for (const { sha256, name, bytes } of files)
      await trx('import_files').insert({ import_id: added!.id, sha256, name, content: Buffer.from(bytes) });
    return added!;
  });

/** Those of publishers, the newest first. One that makes a publisher is for callers who see all. */
export const listImports = async (knex: Knex, publishers: Ids, limit: number): Promise<readonly ImportRow[]> => {
  const query = knex('imports').orderBy('id', 'desc').limit(limit).select<ImportRow[]>(COLUMNS);
  if (publishers) void query.whereIn('publisher_id', [...publishers]);
  return query;
};

export const findImport = async (knex: Knex, publishers: Ids, id: number): Promise<ImportRow | undefined> => {
  const query = knex('imports').where({ id }).first<ImportRow | undefined>(COLUMNS);
  if (publishers) void query.whereIn('publisher_id', [...publishers]);
  return query;
};

/** null: it was applied. */
export const readContent = async (knex: Knex, id: number): Promise<ImportContent | null> => {
  const row = await knex('imports').where({ id }).first<{ content: Buffer | null } | undefined>('content');
  return row?.content ? (JSON.parse((await promisify(gunzip)(row.content)).toString('utf8')) as ImportContent) : null;
};

export const readFiles = async (knex: Knex, id: number): Promise<readonly ReadFile[]> =>
  knex('import_files').where({ import_id: id }).orderBy('sha256').select<ReadFile[]>('sha256', 'name', { bytes: 'content' });
