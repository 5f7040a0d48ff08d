import { isUtf8 } from 'node:buffer';
import { MAX_CAPTIONS_BYTES, sizeInWords } from '../catalog/model/asset-rules.ts';
import type { ReadUpload } from './asset.ts';

/** WebVTT (W3C), section 4.1: the first line, perhaps after a byte order mark. */
const FIRST_LINE = /^\ufeff?WEBVTT(?:[ \t][^\n]*)?(?:\r?\n|$)/;
/** A cue: from when to when. */
const CUE = /^(?:\d{2,}:)?[0-5]\d:[0-5]\d\.\d{3}[ \t]+-->[ \t]+(?:\d{2,}:)?[0-5]\d:[0-5]\d\.\d{3}/m;

export const isCaptions = (bytes: Buffer): boolean => /^\ufeff?WEBVTT/.test(bytes.toString('utf8', 0, 16));

/** Captions in WebVTT. */
export const readCaptions = (bytes: Buffer, sha256: string): ReadUpload => {
  if (bytes.length > MAX_CAPTIONS_BYTES)
    return { fault: `has ${sizeInWords(bytes.length)}; captions may have ${sizeInWords(MAX_CAPTIONS_BYTES)}` };
  const text = isUtf8(bytes) ? bytes.toString('utf8') : '';
  if (!FIRST_LINE.test(text) || !CUE.test(text)) return { fault: 'is not WebVTT in UTF-8 with at least one cue' };
  const path = `${sha256}.vtt`;
  const type = 'text/vtt; charset=utf-8';
  return {
    asset: { sha256, path, type: 'text/vtt', width: null, height: null, bytes: bytes.length, files: [{ path, type, content: bytes }] },
  };
};
