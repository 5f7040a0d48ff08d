/** Whether an ad has to be skippable. */
export const SKIP_RULES = ['allowed', 'required', 'forbidden'] as const;
export type SkipRule = (typeof SKIP_RULES)[number];

/** Where a video plays: in a film, or by itself between texts. */
export const VIDEO_POSITIONS = ['pre', 'mid', 'post', 'outstream'] as const;

/** What a player takes: of a placement, or of the impression of an auction. */
export interface VideoRules {
  readonly position?: (typeof VIDEO_POSITIONS)[number] | undefined;
  /** Seconds. */
  readonly min_duration?: number | undefined;
  readonly max_duration?: number | undefined;
  readonly skip?: SkipRule | undefined;
  /** Media types, of which a file must have one; empty: any. */
  readonly mimes?: readonly string[] | undefined;
}
