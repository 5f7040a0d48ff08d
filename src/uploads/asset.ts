/** What an upload became: a picture, an HTML5 ad with its files, a video, a sound or captions. */
export interface Asset {
  /** Of the uploaded bytes, in hex. */
  readonly sha256: string;
  /** Below /static/assets/: `<sha256>.png`, or `<sha256>/index.html` of an HTML5 ad. */
  readonly path: string;
  /** Media type of what `path` answers. */
  readonly type: string;
  /** CSS pixels; null: an HTML5 ad that does not state its size, or a file that is not seen. */
  readonly width: number | null;
  readonly height: number | null;
  /** Of a video or a sound; undefined: it is neither. */
  readonly playback?: Playback | undefined;
  /** Of the upload. */
  readonly bytes: number;
  readonly files: readonly AssetFile[];
}

/** What is read from a video or a sound. */
export interface Playback {
  readonly durationMs: number;
  readonly bitrateKbps: number;
  /** As RFC 6381 names them, where the container does: `avc1.42c00a, mp4a.40.2`. */
  readonly codec: string;
}

export interface AssetFile {
  /** Below /static/assets/. */
  readonly path: string;
  readonly type: string;
  readonly content: Buffer;
}

/** Of a picture, and of an HTML5 ad. */
export const MAX_SIDE_PIXELS = 8_192;

/** An upload that was read; or why it is refused, as a sentence without its subject: `is larger than …`. */
export type ReadUpload = { readonly asset: Asset } | { readonly fault: string; readonly isTooLarge?: true };
