import { createHash } from 'node:crypto';
import { MAX_UPLOAD_BYTES, MAX_UPLOAD_WORDS, sizeInWords } from '../catalog/model/asset-rules.ts';
import type { ReadUpload } from './asset.ts';
import { isCaptions, readCaptions } from './read-captions.ts';
import { mediaKindOf } from './media-kind.ts';
import { readPicture } from './read-picture.ts';

/** The signature of a zip with files, and of an empty one. */
const ZIP = ['504b0304', '504b0506'];

/**
 * Reads an upload by its bytes: a picture, the zip of an HTML5 ad, a video, a sound or captions. Never rejects. The libraries
 * for media and zips are loaded with the first of them.
 */
export const readUpload = async (bytes: Buffer): Promise<ReadUpload> => {
  if (bytes.length === 0) return { fault: 'is empty' };
  const kind = mediaKindOf(bytes);
  if (kind === undefined && bytes.length > MAX_UPLOAD_BYTES)
    return { fault: `has ${sizeInWords(bytes.length)}; at most ${MAX_UPLOAD_WORDS} are accepted`, isTooLarge: true };
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (kind !== undefined) return (await import('./read-media.ts')).readMedia(kind, bytes, sha256);
  if (isCaptions(bytes)) return readCaptions(bytes, sha256);
  if (!ZIP.includes(bytes.toString('hex', 0, 4))) return readPicture(bytes, sha256);
  return (await import('./read-html5.ts')).readHtml5(bytes, sha256);
};
