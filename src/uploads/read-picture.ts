import { imageSize } from 'image-size';
import { MAX_SIDE_PIXELS, type ReadUpload } from './asset.ts';
import { checkSvg } from './svg-fault.ts';

/** By the names of `image-size`. */
const TYPES: Readonly<Record<string, { readonly type: string; readonly extension: string }>> = {
  png: { type: 'image/png', extension: 'png' },
  jpg: { type: 'image/jpeg', extension: 'jpg' },
  gif: { type: 'image/gif', extension: 'gif' },
  webp: { type: 'image/webp', extension: 'webp' },
  avif: { type: 'image/avif', extension: 'avif' },
  svg: { type: 'image/svg+xml', extension: 'svg' },
};
const ACCEPTED = 'accepted: PNG, JPEG, GIF, WebP, AVIF, SVG, or the zip of an HTML5 ad';

/** The library reads many more formats; only these reach it. AVIF names itself after the length of its first box. */
const SIGNATURE = /^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF|[^]{4}ftyp|<svg)/;

/** A browser needs 4 bytes of memory for each pixel: 64 MB. */
const MAX_PIXELS = 16_000_000;
/** What states the size is here. A JPEG of one-byte segments takes the library 0.3 s per megabyte. */
const HEAD_BYTES = 256 * 1024;

/** EXIF orientations from here on turn a picture by 90°. */
const FIRST_TURNED = 5;

/** Reads type and size from the bytes, whatever a client says about them. Never rejects. */
export const readPicture = async (bytes: Buffer, sha256: string): Promise<ReadUpload> => {
  let headed = bytes;
  if (isMarkup(bytes)) {
    const svg = await checkSvg(bytes);
    if ('fault' in svg) return svg;
    // The library would search the whole text with an expression that takes quadratic time.
    headed = Buffer.from(svg.rootTag);
  }
  const size = sizeOf(headed);
  if (!size && headed !== bytes) return { fault: 'is an SVG without a size: give <svg> a width and a height, or a viewBox' };
  const kind = TYPES[size?.type ?? ''];
  if (!size || !kind || (kind.extension === 'svg') !== (headed !== bytes))
    return { fault: `is not a picture that can be read; ${ACCEPTED}` };
  const isTurned = (size.orientation ?? 1) >= FIRST_TURNED;
  const [width, height] = isTurned ? [size.height, size.width] : [size.width, size.height];
  if (!isSide(width) || !isSide(height))
    return { fault: `must be 1 to ${MAX_SIDE_PIXELS} pixels wide and high; it is ${width} × ${height}` };
  if (width * height > MAX_PIXELS && kind.extension !== 'svg')
    return { fault: `must not have more than ${MAX_PIXELS / 1e6} million pixels; it is ${width} × ${height}` };
  const path = `${sha256}.${kind.extension}`;
  const { type } = kind;
  return { asset: { sha256, path, type, width, height, bytes: bytes.length, files: [{ path, type, content: bytes }] } };
};

/** A text that begins with a tag, perhaps after a byte order mark. */
const isMarkup = (bytes: Buffer): boolean => /^\ufeff?\s*</.test(bytes.subarray(0, 256).toString('utf8'));

const sizeOf = (bytes: Buffer): ReturnType<typeof imageSize> | undefined => {
  if (!SIGNATURE.test(bytes.toString('latin1', 0, 12))) return undefined;
  try {
    // A copy: the library reads past the end of a Buffer that is a part of a larger one. A Buffer
    // again, whose parts the library does not copy.
    return imageSize(Buffer.from(new Uint8Array(bytes.subarray(0, HEAD_BYTES)).buffer));
  } catch {
    return undefined; // The caller reports what cannot be read.
  }
};

const isSide = (pixels: number): boolean => Number.isInteger(pixels) && pixels >= 1 && pixels <= MAX_SIDE_PIXELS;
