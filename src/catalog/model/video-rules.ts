/** Whether an ad has to be skippable. */
export const SKIP_RULES = ['allowed', 'required', 'forbidden'] as const;
export type SkipRule = (typeof SKIP_RULES)[number];

/** Where a video plays: in a film, or by itself between texts. */
export const VIDEO_POSITIONS = ['pre', 'mid', 'post', 'outstream'] as const;
export type VideoPosition = (typeof VIDEO_POSITIONS)[number];

/** The versions of VAST that are written. A player of 4.0 and 4.1 reads 4.2, which adds to them. */
export const VAST_VERSIONS = ['2.0', '3.0', '4.2'] as const;
export type VastVersion = (typeof VAST_VERSIONS)[number];

/** For players that do not say what they read. */
export const LATEST_VAST: VastVersion = '4.2';

/** What a player takes: of a placement, or of the impression of an auction. */
export interface VideoRules {
  readonly position?: VideoPosition | undefined;
  /** Seconds. */
  readonly min_duration?: number | undefined;
  readonly max_duration?: number | undefined;
  /** Seconds, of which an ad has exactly one; empty: any. */
  readonly durations?: readonly number[] | undefined;
  readonly skip?: SkipRule | undefined;
  /** Media types, of which a file must have one; empty: any. */
  readonly mimes?: readonly string[] | undefined;
  /** The version of VAST that it reads, at most; of a placement, unless its tag says it. */
  readonly vast?: VastVersion | undefined;
  /** Per thousand impressions, in the currency of the publisher that asks, for each second of an ad. */
  readonly min_cpm_per_second?: number | undefined;
}

/** Ads of one pod. */
export const MAX_POD_ADS = 10;

/** The ads of a break, which play one after the other. */
export interface PodRules {
  readonly max_ads: number;
  /** Seconds, of all together. */
  readonly max_duration: number;
}

/** A break of a film, as VMAP names it. */
export interface Break extends PodRules {
  /** `start`, `end`, `00:10:00`, `25%` of the film, or `#2`, the second opportunity. */
  readonly at: string;
}

/** What the player of a placement takes. */
export interface PlayerRules extends VideoRules {
  /** Of a tag that names no break; absent: one ad. */
  readonly pod?: PodRules | undefined;
  /** Of a film, in their order. */
  readonly breaks?: readonly Break[] | undefined;
}

/** Of a break that the standard names, in the words of `position`. */
export const positionOfBreak = (at: string): VideoPosition =>
  /^(start|0{1,2}%|00:00:00(\.0+)?)$/.test(at) ? 'pre' : /^(end|100%)$/.test(at) ? 'post' : 'mid';
