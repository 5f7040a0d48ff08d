import { typeOfEnd } from './types-of-ends.ts';

/** What players play, in the terms of VAST 4.2; of formats `video` and `audio`. Addresses are absolute, or paths of this service. */
export interface VideoAd {
  /** null: the third-party tag says it. */
  readonly durationMs: number | null;
  /** Empty with a third-party tag. */
  readonly media: readonly MediaFile[];
  /** The file that others are made from, for servers that stitch ads in (VAST 4.2, 3.9.2). */
  readonly mezzanine: MediaFile | null;
  readonly captions: readonly CaptionFile[];
  /** Shown before it plays. */
  readonly poster: string | null;
  /** null: it cannot be skipped. */
  readonly skipAfterMs: number | null;
  readonly companions: readonly Companion[];
  readonly icons: readonly Icon[];
  /** Scripts of the Open Measurement SDK. */
  readonly verifications: readonly Verification[];
  readonly universalAdId: UniversalAdId | null;
  /** A SIMID creative. */
  readonly interactive: string | null;
  /** Addresses of others, by `impression`, `click`, `error` or the name of an event of VAST. */
  readonly trackers: Readonly<Record<string, readonly string[]>>;
  /** The VAST tag of another server, in place of media; null: none. */
  readonly tag: string | null;
}

/** Nothing but the VAST tag of another server. */
export const wrapperOf = (tag: string): VideoAd => ({
  ...{ durationMs: null, media: [], mezzanine: null, captions: [], poster: null, skipAfterMs: null },
  ...{ companions: [], icons: [], verifications: [], universalAdId: null, interactive: null, trackers: {}, tag },
});

export interface MediaFile {
  readonly url: string;
  /** Media type. */
  readonly type: string;
  /** Pixels; 0 of sound. */
  readonly width: number;
  readonly height: number;
  /** null: not known. */
  readonly bitrateKbps: number | null;
  readonly codec: string | null;
  readonly bytes: number | null;
}

export interface CaptionFile {
  readonly url: string;
  readonly type: string;
  /** A tag of BCP 47; null: not known. */
  readonly language: string | null;
}

export interface Companion {
  readonly width: number;
  readonly height: number;
  readonly resource: CompanionResource;
  /** null: that of the creative. */
  readonly clickUrl: string | null;
  readonly alt: string;
  readonly rendering: Rendering;
}

export const RENDERINGS = ['default', 'end-card', 'concurrent'] as const;
export type Rendering = (typeof RENDERINGS)[number];

export type CompanionResource =
  | { readonly is: 'image'; readonly url: string; readonly type: string }
  | { readonly is: 'frame'; readonly url: string }
  | { readonly is: 'html'; readonly markup: string };

export interface Icon {
  readonly program: string;
  readonly width: number;
  readonly height: number;
  /** Pixels from the left, or a side. */
  readonly x: string;
  readonly y: string;
  readonly image: string;
  readonly type: string;
  readonly clickUrl: string | null;
}

export interface Verification {
  readonly vendor: string;
  readonly script: string;
  readonly parameters: string | null;
}

export interface UniversalAdId {
  readonly registry: string;
  readonly id: string;
}

/** Media types that a player of a page may play, progressive ones first. */
export const VIDEO_TYPES = ['video/mp4', 'video/webm', 'application/x-mpegURL', 'application/dash+xml'] as const;
export const AUDIO_TYPES = ['audio/mpeg', 'audio/mp4', 'audio/ogg', 'audio/webm', 'application/x-mpegURL', 'application/dash+xml'] as const;

/** Manifests, which name the files that are played. */
export const isManifest = (type: string): boolean => type.startsWith('application/');

/** Of pictures and captions, whose type nothing decides on. */
export const typeOfAddress = (url: string): string => typeOfEnd(url) ?? 'image/png';
