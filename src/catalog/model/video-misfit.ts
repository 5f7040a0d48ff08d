import { isVideo, type CreativeContent } from './entities.ts';
import type { VideoRules } from './video-rules.ts';

/**
 * Why a player does not take a video; undefined: it does, or it is none. Of another server's tag nothing is known, nor of what
 * bidders send with each bid (bidders/openrtb/vast-markup.ts).
 */
export const videoMisfit = (content: CreativeContent, rules: VideoRules | null | undefined): string | undefined => {
  if (!rules || !isVideo(content)) return undefined;
  const { durationMs, skipAfterMs, media, tag } = content.video;
  if (tag !== null || media.length === 0) return undefined;
  const { min_duration: min, max_duration: max, skip = 'allowed', mimes = [] } = rules;
  const seconds = (durationMs ?? 0) / 1000;
  if (min !== undefined && seconds < min) return `it plays for ${seconds} s, and the player takes ${min} s at least`;
  if (max !== undefined && seconds > max) return `it plays for ${seconds} s, and the player takes ${max} s at most`;
  if (skip === 'required' && skipAfterMs === null) return 'the player takes only ads that can be skipped';
  if (skip === 'forbidden' && skipAfterMs !== null) return 'the player takes no ads that can be skipped';
  const asked = mimes.map((mime) => mime.toLowerCase());
  return asked.length === 0 || media.some(({ type }) => asked.includes(type.toLowerCase()))
    ? undefined
    : `none of its files is ${mimes.join(' or ')}`;
};
