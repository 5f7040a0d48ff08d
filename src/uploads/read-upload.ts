import { createHash } from 'node:crypto';
import { MAX_UPLOAD_BYTES, MAX_UPLOAD_WORDS, sizeInWords } from '../catalog/model/asset-rules.ts';
import type { ReadUpload } from './asset.ts';
import { readHtml5 } from './read-html5.ts';
import { readPicture } from './read-picture.ts';

/** The signature of a zip with files, and of an empty one. */
const ZIP = ['504b0304', '504b0506'];

/** Reads an upload by its bytes: a picture, or the zip of an HTML5 ad. Never rejects. */
export const readUpload = async (bytes: Buffer): Promise<ReadUpload> => {
  if (bytes.length === 0) return { fault: 'is empty' };
  if (bytes.length > MAX_UPLOAD_BYTES) return { fault: `has ${sizeInWords(bytes.length)}; at most ${MAX_UPLOAD_WORDS} are accepted` };
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return ZIP.includes(bytes.toString('hex', 0, 4)) ? readHtml5(bytes, sha256) : readPicture(bytes, sha256);
};
