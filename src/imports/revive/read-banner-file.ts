import { createHash } from 'node:crypto';
import { MAX_UPLOAD_BYTES, MAX_UPLOAD_WORDS, sizeInWords } from '../../catalog/model/asset-rules.ts';
import type { ImportedFile } from '../imported.ts';
import type { BannerRow } from './revive-rows.ts';

export interface BannerFiles {
  readonly inDatabase: (filename: string) => Promise<Buffer | undefined>;
  /** Of those that Revive stores as files. */
  readonly inFolder: (filename: string) => Promise<Buffer | { readonly cannot: string }>;
}

/** How the pictures that browsers show begin, in hex. */
const PICTURES = ['89504e47', 'ffd8ff', '474946383', '52494646'];

/** The picture of a banner that is stored in the database or as a file; or why it cannot be had. */
export const readBannerFile = async (files: BannerFiles, banner: BannerRow): Promise<ImportedFile | { readonly cannot: string }> => {
  const { filename, storagetype } = banner;
  const bytes =
    storagetype === 'sql'
      ? ((await files.inDatabase(filename)) ?? { cannot: `its file ${filename} is not in the database` })
      : await files.inFolder(filename);
  if (!Buffer.isBuffer(bytes)) return bytes;
  if (bytes.length > MAX_UPLOAD_BYTES)
    return { cannot: `its file ${filename} has ${sizeInWords(bytes.length)}; at most ${MAX_UPLOAD_WORDS} are accepted` };
  if (!PICTURES.some((head) => bytes.toString('hex', 0, 8).startsWith(head)))
    return { cannot: `its file ${filename} is no PNG, JPEG, GIF or WebP picture` };
  return { sha256: createHash('sha256').update(bytes).digest('hex'), name: filename, bytes };
};
