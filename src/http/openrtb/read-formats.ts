import { isObject } from '../../base/narrow.ts';
import type { CreativeFormat } from '../../catalog/model/choices.ts';
import type { VideoRules } from '../../catalog/model/video-rules.ts';
import type { VastVersion } from '../../creative/vast/vast-rules.ts';
import { at, listAt, type Json } from './auction-schema.ts';

/** What an impression of an auction takes. */
export const formatsOf = (imp: Json): readonly CreativeFormat[] => [
  ...(isObject(imp['banner']) ? (['html', 'banner'] as const) : []),
  ...(isObject(imp['native']) ? (['native'] as const) : []),
  ...(isObject(imp['video']) ? (['video'] as const) : []),
  ...(isObject(imp['audio']) ? (['audio'] as const) : []),
];

/** OpenRTB's list of protocols, the newer first. A wrapper is answered where an ad of another server is booked. */
const PROTOCOLS: readonly (readonly [version: VastVersion, numbers: readonly number[]])[] = [
  ['4.2', [7, 8, 11, 12, 13, 14]],
  ['3.0', [3, 6]],
  ['2.0', [2, 5]],
];

/** The latest that the player reads; undefined: it does not say. */
export const vastOf = (imp: Json): VastVersion | undefined => {
  const named = [...listAt(imp, 'video', 'protocols'), ...listAt(imp, 'audio', 'protocols')];
  return PROTOCOLS.find(([, numbers]) => numbers.some((number) => named.includes(number)))?.[0];
};

/** What the player of an impression takes (OpenRTB 2.6, 3.2.7 and 3.2.8); undefined: it asks for neither video nor sound. */
export const videoRulesOf = (imp: Json): VideoRules | undefined => {
  const kind = isObject(imp['video']) ? 'video' : isObject(imp['audio']) ? 'audio' : undefined;
  if (kind === undefined) return undefined;
  const [min, max] = [at(imp, kind, 'minduration'), at(imp, kind, 'maxduration')];
  return {
    ...(typeof min === 'number' && min > 0 && { min_duration: min }),
    ...(typeof max === 'number' && max > 0 && { max_duration: max }),
    mimes: listAt(imp, kind, 'mimes').filter((mime): mime is string => typeof mime === 'string'),
  };
};
