import { createHash } from 'node:crypto';
import { MAX_UPLOAD_BYTES, MAX_UPLOAD_WORDS, sizeInWords } from '../catalog/model/asset-rules.ts';
import type { ReadUpload } from './asset.ts';
import { isCaptions, readCaptions } from './read-captions.ts';
import { mediaKindOf, readMedia } from './read-media.ts';
import { readHtml5 } from './read-html5.ts';
import { readPicture } from './read-picture.ts';

/** The signature of a zip with files, and of an empty one. */
const ZIP = ['504b0304', '504b0506'];

/** Reads an upload by its bytes: a picture, the zip of an HTML5 ad, a video, a sound or captions. Never rejects. */
export const readUpload = async (bytes: Buffer): Promise<ReadUpload> => {
  if (bytes.length === 0) return { fault: 'is empty' };
  const kind = mediaKindOf(bytes);
  if (kind === undefined && bytes.length > MAX_UPLOAD_BYTES)
    return { fault: `has ${sizeInWords(bytes.length)}; at most ${MAX_UPLOAD_WORDS} are accepted`, isTooLarge: true };
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (kind !== undefined) return readMedia(kind, bytes, sha256);
  if (isCaptions(bytes)) return readCaptions(bytes, sha256);
  return ZIP.includes(bytes.toString('hex', 0, 4)) ? readHtml5(bytes, sha256) : readPicture(bytes, sha256);
};
