/** The folder of uploaded files in the addresses of this service. */
export const ASSET_FOLDER = '/static/assets/';

/**
 * The path of an uploaded file: `/static/assets/<sha256>.png`, or `/static/assets/<sha256>/index.html`
 * of an HTML5 ad. The second part says which: `.` or `/`.
 */
export const ASSET_PATH = /^\/static\/assets\/([0-9a-f]{64})([./])/;

/** The words of a limit, which is a multiple of 1,024 bytes. */
export const limitInWords = (bytes: number): string => (bytes < 1024 ** 2 ? `${bytes / 1024} KB` : `${bytes / 1024 ** 2} MB`);

/** Of a picture, or of the zip of an HTML5 ad. */
export const MAX_UPLOAD_BYTES = 2 * 1024 * 1024;
export const MAX_UPLOAD_WORDS = limitInWords(MAX_UPLOAD_BYTES);

/** Of a video: 30 seconds at 4 Mbit/s. A larger one is named by its address, on a CDN. */
export const MAX_VIDEO_BYTES = 16 * 1024 * 1024;
export const MAX_VIDEO_WORDS = limitInWords(MAX_VIDEO_BYTES);
/** Of a sound: 60 seconds at 320 kbit/s, and its cover. */
export const MAX_SOUND_BYTES = 4 * 1024 * 1024;
/** Of captions, which are text. */
export const MAX_CAPTIONS_BYTES = 256 * 1024;

/** Of an HTML5 ad: the limit of Google Ad Manager for files; ours for their size, since a replica keeps them in memory. */
export const MAX_FILES = 100;
export const MAX_UNPACKED_BYTES = 8_000_000;

/** `412 KB`, `1.4 MB`: rounded up. */
export const sizeInWords = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} KB` : `${(Math.ceil(bytes / 100_000) / 10).toFixed(1)} MB`;
