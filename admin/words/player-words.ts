import type { Rendering } from '../../src/catalog/model/video-ad.ts';
import type { SkipRule, VideoPosition } from '../../src/catalog/model/video-rules.ts';
import { t } from './texts.ts';

/** Where a video plays. */
export const POSITION_WORDS: Readonly<Record<VideoPosition, string>> = {
  pre: t`before a film`,
  mid: t`in a film`,
  post: t`after a film`,
  outstream: t`between texts, without a film`,
};

export const SKIP_WORDS: Readonly<Record<SkipRule, string>> = {
  allowed: t`allowed`,
  required: t`only skippable ads`,
  forbidden: t`no skippable ads`,
};

/** Where a companion is shown. */
export const RENDERING_WORDS: Readonly<Record<Rendering, string>> = {
  default: t`as the player decides`,
  'end-card': t`over the player at the end`,
  concurrent: t`beside the player`,
};
