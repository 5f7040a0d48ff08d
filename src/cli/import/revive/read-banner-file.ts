import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { MAX_UPLOAD_BYTES, MAX_UPLOAD_WORDS, sizeInWords } from '../../../catalog/model/asset-rules.ts';
import type { ImportedFile } from '../imported.ts';
import type { ReviveDatabase } from './open-database.ts';
import type { BannerRow } from './revive-rows.ts';

export interface BannerFiles {
  readonly database: ReviveDatabase;
  readonly prefix: string;
  /** The folder or the address of the images that Revive stores as files; undefined: not named. */
  readonly images: string | undefined;
}

/** How the pictures that browsers show begin, in hex. */
const PICTURES = ['89504e47', 'ffd8ff', '474946383', '52494646'];

const TIMEOUT_MS = 20_000;

/** The picture of a banner that is stored in the database or as a file; or why it cannot be had. */
export const readBannerFile = async (files: BannerFiles, banner: BannerRow): Promise<ImportedFile | { readonly cannot: string }> => {
  const { filename, storagetype } = banner;
  const bytes = storagetype === 'sql' ? await fromDatabase(files, filename) : await fromFolder(files, filename);
  if (!Buffer.isBuffer(bytes)) return bytes;
  if (bytes.length > MAX_UPLOAD_BYTES)
    return { cannot: `its file ${filename} has ${sizeInWords(bytes.length)}; at most ${MAX_UPLOAD_WORDS} are accepted` };
  if (!PICTURES.some((head) => bytes.toString('hex', 0, 8).startsWith(head)))
    return { cannot: `its file ${filename} is no PNG, JPEG, GIF or WebP picture` };
  return { sha256: createHash('sha256').update(bytes).digest('hex'), name: filename, bytes };
};

const fromDatabase = async ({ database, prefix }: BannerFiles, filename: string): Promise<Buffer | { readonly cannot: string }> => {
  const [row] = await database.query(`select contents from ${prefix}images where filename = ?`, [filename]);
  const contents = row?.['contents'];
  return Buffer.isBuffer(contents) ? contents : { cannot: `its file ${filename} is not in the database` };
};

const fromFolder = async ({ images }: BannerFiles, filename: string): Promise<Buffer | { readonly cannot: string }> => {
  if (images === undefined) return { cannot: `its file ${filename} is in a folder of Revive's web server: name that with --images` };
  // A name in the database must not lead out of the folder.
  if (filename === '' || filename !== path.basename(filename)) return { cannot: `"${filename}" is no name of a file` };
  try {
    if (!/^https?:\/\//.test(images)) return await readFile(path.join(images, filename));
    const answer = await fetch(`${images.replace(/\/$/, '')}/${encodeURIComponent(filename)}`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!answer.ok) return { cannot: `its file ${filename} was answered with status ${answer.status}` };
    return Buffer.from(await answer.arrayBuffer());
  } catch (fault) {
    return { cannot: `its file ${filename} cannot be read: ${(fault as NodeJS.ErrnoException).code ?? (fault as Error).message}` };
  }
};
