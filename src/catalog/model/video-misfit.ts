import { isVideo, type CreativeContent } from './entities.ts';
import type { VideoRules } from './video-rules.ts';

/** What players ask about of a video. */
export interface PlayedVideo {
  readonly durationMs: number;
  readonly canBeSkipped: boolean;
  /** Media types of its files, in small letters. */
  readonly types: readonly string[];
}

/**
 * Why a player does not take a creative; undefined: it does, or it is no video. Of another server's tag nothing is known, nor of what
 * bidders send with each bid.
 */
export const videoMisfit = (content: CreativeContent, rules: VideoRules | null | undefined): string | undefined => {
  // To read the content of a creative takes longer than to decide on it.
  if (!rules || !asksAnything(rules) || !isVideo(content)) return undefined;
  const { durationMs, skipAfterMs, media, tag } = content.video;
  if (tag !== null || media.length === 0) return undefined;
  return misfitOf(
    { durationMs: durationMs ?? 0, canBeSkipped: skipAfterMs !== null, types: media.map(({ type }) => type.toLowerCase()) },
    rules,
  );
};

const asksAnything = ({ min_duration, max_duration, durations, skip, mimes }: VideoRules): boolean =>
  [min_duration, max_duration, durations, skip, mimes].some((rule) => rule !== undefined);

/** Why a player does not take a video; undefined: it does. */
export const misfitOf = ({ durationMs, canBeSkipped, types }: PlayedVideo, rules: VideoRules): string | undefined => {
  const { min_duration: min = 0, max_duration: max = Infinity, durations = [], skip = 'allowed', mimes = [] } = rules;
  const seconds = durationMs / 1000;
  if (seconds < min) return `it plays for ${seconds} s, and the player takes ${min} s at least`;
  if (seconds > max) return `it plays for ${seconds} s, and the player takes ${max} s at most`;
  if (durations.length > 0 && !durations.includes(Math.round(seconds)))
    return `it plays for ${seconds} s, and the player takes ${durations.join(' or ')} s`;
  if (skip === 'required' && !canBeSkipped) return 'the player takes only ads that can be skipped';
  if (skip === 'forbidden' && canBeSkipped) return 'the player takes no ads that can be skipped';
  return mimes.length === 0 || mimes.some((mime) => types.includes(mime.toLowerCase()))
    ? undefined
    : `none of its files is ${mimes.join(' or ')}`;
};
