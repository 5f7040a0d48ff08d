import { createFile, Log, type ISOFile, type Movie, type MP4BoxBuffer } from 'mp4box';
import { parseBuffer, type IFormat } from 'music-metadata';
import { MS_PER_HOUR, MS_PER_MINUTE } from '../base/utc-day.ts';
import { MAX_SOUND_BYTES, MAX_VIDEO_BYTES, sizeInWords } from '../catalog/model/asset-rules.ts';
import { MAX_SIDE_PIXELS, type ReadUpload } from './asset.ts';
import type { MediaKind } from './media-kind.ts';

/** An hour; an ad that is longer is a mistake. */
const MAX_DURATION_MS = MS_PER_HOUR;

/**
 * What describes an MP4: the library takes a time that grows with the square of the number of its
 * boxes, 30 ms for as many as fit here. Three minutes have about 60 KB.
 */
const MAX_INDEX_BYTES = 256 * 1024;
/** Of a WebM: its first elements say what it is. */
const HEAD_BYTES = 128 * 1024;
/** Top-level boxes that describe the media (ISO/IEC 14496-12); `mdat` and others are passed over. */
const INDEX_BOXES: ReadonlySet<string> = new Set(['ftyp', 'moov', 'moof']);
const MAX_BOXES = 10_000;

// It prints what it cannot parse, and has no level above that of errors.
Log.error = () => undefined;

/** What a library says of a file. */
interface Described {
  readonly durationMs: number;
  readonly codecs: readonly string[];
  /** undefined: it has no picture. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
}

type Description = Described | { readonly fault: string };

/** Reads type, size, length, bitrate and codecs from the bytes. Never rejects. */
export const readMedia = async (kind: MediaKind, bytes: Buffer, sha256: string): Promise<ReadUpload> => {
  if (bytes.length > MAX_VIDEO_BYTES)
    return {
      fault: `has ${sizeInWords(bytes.length)}; at most ${sizeInWords(MAX_VIDEO_BYTES)} are accepted: name larger files by their address`,
    };
  const described = kind === 'mp4' ? describeMp4(bytes) : await describeOther(kind, bytes);
  if ('fault' in described) return described;
  const { durationMs, codecs, size } = described;
  if (!size && bytes.length > MAX_SOUND_BYTES)
    return { fault: `has ${sizeInWords(bytes.length)}; a sound may have ${sizeInWords(MAX_SOUND_BYTES)}` };
  if (!(durationMs > 0)) return { fault: 'does not say how long it plays: export it again with its length in its header' };
  if (durationMs > MAX_DURATION_MS)
    return { fault: `plays for ${Math.round(durationMs / MS_PER_MINUTE)} minutes; at most 60 are accepted` };
  if (codecs.length === 0) return { fault: 'has neither a picture nor a sound' };
  if (size && !(isSide(size.width) && isSide(size.height)))
    return { fault: `must be 1 to ${MAX_SIDE_PIXELS} pixels wide and high; it is ${size.width} × ${size.height}` };
  const type = typeOf(kind, size !== undefined);
  const path = `${sha256}.${extensionOf(kind, size !== undefined)}`;
  return {
    asset: {
      ...{ sha256, path, type, width: size?.width ?? null, height: size?.height ?? null, bytes: bytes.length },
      playback: {
        durationMs: Math.round(durationMs),
        bitrateKbps: Math.max(1, Math.round((bytes.length * 8) / durationMs)),
        codec: codecs.join(', '),
      },
      files: [{ path, type, content: bytes }],
    },
  };
};

const typeOf = (kind: MediaKind, hasPicture: boolean): string =>
  kind === 'mp3' ? 'audio/mpeg' : `${hasPicture ? 'video' : 'audio'}/${kind}`;

const extensionOf = (kind: MediaKind, hasPicture: boolean): string => (kind === 'mp4' && !hasPicture ? 'm4a' : kind);

const isSide = (pixels: number): boolean => Number.isInteger(pixels) && pixels >= 1 && pixels <= MAX_SIDE_PIXELS;

const describeMp4 = (bytes: Buffer): Description => {
  const index = indexOf(bytes);
  if (typeof index === 'string') return { fault: index };
  const movie = readMovie(index);
  if (!movie) return { fault: 'is not an MP4 that can be read' };
  const video = movie.tracks.find(({ type }) => type === 'video');
  const durations = movie.tracks.map(
    ({ duration, samples_duration: summed, timescale }) => (Math.max(duration, summed) / timescale) * 1000,
  );
  return {
    durationMs: Math.max(0, ...durations.filter(Number.isFinite)),
    codecs: movie.tracks.filter(({ type }) => type === 'video' || type === 'audio').map(({ codec }) => codec),
    size: video?.video && { width: video.video.width, height: video.video.height },
  };
};

/** The boxes that describe the media, without the media; else a fault. */
const indexOf = (bytes: Buffer): Buffer | string => {
  const boxes: Buffer[] = [];
  let indexBytes = 0;
  let at = 0;
  for (let count = 0; at + 8 <= bytes.length; count++) {
    if (count > MAX_BOXES) return 'has too many parts';
    const size = sizeOfBox(bytes, at);
    if (size < 8) return 'is cut off, or not an MP4';
    const isCut = at + size > bytes.length;
    if (INDEX_BOXES.has(bytes.toString('latin1', at + 4, at + 8))) {
      if (isCut) return 'is cut off';
      indexBytes += size;
      if (indexBytes > MAX_INDEX_BYTES)
        return `has more than ${sizeInWords(MAX_INDEX_BYTES)} of description: export it with fewer fragments`;
      boxes.push(bytes.subarray(at, at + size));
    } else if (isCut) return 'is cut off';
    at += size;
  }
  return Buffer.concat(boxes);
};

/** 0: to the end of the file; 1: 64 bits follow. */
const sizeOfBox = (bytes: Buffer, at: number): number => {
  const size = bytes.readUInt32BE(at);
  if (size === 0) return bytes.length - at;
  return size === 1 ? (at + 16 <= bytes.length ? Number(bytes.readBigUInt64BE(at + 8)) : 0) : size;
};

const readMovie = (index: Buffer): Movie | undefined => {
  let movie: Movie | undefined;
  try {
    const file: ISOFile = createFile(false);
    file.onError = () => undefined;
    const buffer = new Uint8Array(index).buffer as MP4BoxBuffer;
    buffer.fileStart = 0;
    file.appendBuffer(buffer, true);
    file.flush();
    movie = file.getInfo();
  } catch {
    return undefined; // The caller reports what cannot be read.
  }
  return movie.hasMoov ? movie : undefined;
};

const describeOther = async (kind: MediaKind, bytes: Buffer): Promise<Description> => {
  let format: IFormat;
  try {
    const read = kind === 'webm' ? bytes.subarray(0, HEAD_BYTES) : bytes;
    // By its kind, which is known: the library would guess it anew. WebM is a kind of Matroska.
    const file = { path: `media.${kind === 'webm' ? 'mka' : kind}`, size: read.length };
    ({ format } = await parseBuffer(new Uint8Array(read), file, { duration: kind !== 'webm', skipCovers: true }));
  } catch {
    return { fault: 'is neither a video nor a sound that can be read' };
  }
  const { duration = 0, trackInfo, codec, container = '' } = format;
  if (kind === 'webm' && !/webm/i.test(container)) return { fault: 'is Matroska, which browsers do not play: export it as WebM or MP4' };
  const size = trackInfo.map(({ video }) => video).find((video) => video !== undefined);
  const named = trackInfo.map(({ codecName }) => codecName).filter((name) => name !== undefined);
  return {
    durationMs: duration * 1000,
    codecs: named.length > 0 ? named.map((name) => name.toLowerCase()) : codec === undefined ? [] : [codec],
    size: size && { width: size.pixelWidth ?? 0, height: size.pixelHeight ?? 0 },
  };
};
