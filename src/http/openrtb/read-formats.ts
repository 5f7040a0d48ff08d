import { isObject } from '../../base/narrow.ts';
import type { CreativeFormat } from '../../catalog/model/choices.ts';
import { MAX_POD_ADS, type VastVersion, type VideoRules } from '../../catalog/model/video-rules.ts';
import { at, listAt, type Json } from './auction-schema.ts';
import type { AskedPod } from './expand-pods.ts';

/** What an impression of an auction takes. */
export const formatsOf = (imp: Json): readonly CreativeFormat[] => [
  ...(isObject(imp['banner']) ? (['html', 'banner'] as const) : []),
  ...(isObject(imp['native']) ? (['native'] as const) : []),
  ...(isObject(imp['video']) ? (['video'] as const) : []),
  ...(isObject(imp['audio']) ? (['audio'] as const) : []),
];

/** OpenRTB's list of protocols, the newer first. A wrapper is answered where an ad of another server is booked. */
const PROTOCOLS: readonly (readonly [version: VastVersion, numbers: readonly number[]])[] = [
  ['4.2', [7, 8, 11, 12, 13, 14, 15, 16]],
  ['3.0', [3, 6]],
  ['2.0', [2, 5]],
];

/** The latest that the player reads; undefined: it does not say. */
export const vastOf = (imp: Json): VastVersion | undefined => {
  const named = [...listAt(imp, 'video', 'protocols'), ...listAt(imp, 'audio', 'protocols')];
  return PROTOCOLS.find(([, numbers]) => numbers.some((number) => named.includes(number)))?.[0];
};

/** A pod whose length is not known has any. */
const ANY_LENGTH_MS = Number.MAX_SAFE_INTEGER;
/** An ad of a pod that may have any number of them is not shorter. */
const SHORTEST_S = 5;

/**
 * The pod of an impression (OpenRTB 2.6, 3.2.7): several impressions of one `podid`, or one with `poddur` for as many ads as
 * `maxseq` says. undefined: it is for one ad.
 */
export const podOf = (imp: Json & { readonly id: string }): AskedPod | undefined => {
  const kind = isObject(imp['video']) ? 'video' : 'audio';
  const [podId, seconds, most, min] = ['podid', 'poddur', 'maxseq', 'minduration'].map((name) => at(imp, kind, name));
  const maxMs = isPositive(seconds) ? seconds * 1000 : undefined;
  if (maxMs === undefined && podId === undefined) return undefined;
  const fitting = maxMs === undefined ? 1 : Math.floor(maxMs / 1000 / Math.max(isPositive(min) ? min : 0, SHORTEST_S));
  const ads = maxMs === undefined ? 1 : Math.max(1, Math.min(isPositive(most) ? Math.floor(most) : fitting, MAX_POD_ADS));
  return {
    id: typeof podId === 'string' || typeof podId === 'number' ? String(podId).slice(0, MAX_NAME) : imp.id,
    maxMs: maxMs ?? ANY_LENGTH_MS,
    ads,
  };
};

const MAX_NAME = 128;
const isPositive = (value: unknown): value is number => typeof value === 'number' && value > 0 && value < 1e6;

const MAX_DURATIONS = 20;

/** What the player of an impression takes (OpenRTB 2.6, 3.2.7 and 3.2.8); undefined: it asks for neither video nor sound. */
export const videoRulesOf = (imp: Json, inOwn: (price: number) => number): VideoRules | undefined => {
  const kind = isObject(imp['video']) ? 'video' : isObject(imp['audio']) ? 'audio' : undefined;
  if (kind === undefined) return undefined;
  const [min, max] = [at(imp, kind, 'minduration'), at(imp, kind, 'maxduration')];
  const perSecond = at(imp, kind, 'mincpmpersec');
  const durations = listAt(imp, kind, 'rqddurs').slice(0, MAX_DURATIONS).filter(isPositive);
  const vast = vastOf(imp);
  return {
    ...(typeof min === 'number' && min > 0 && { min_duration: min }),
    ...(typeof max === 'number' && max > 0 && { max_duration: max }),
    ...(durations.length > 0 && { durations }),
    ...(vast !== undefined && { vast }),
    ...(isPositive(perSecond) && { min_cpm_per_second: inOwn(perSecond) }),
    mimes: listAt(imp, kind, 'mimes').filter((mime): mime is string => typeof mime === 'string'),
  };
};
