import { isObject } from '../../base/narrow.ts';
import type { CreativeFormat } from '../../catalog/model/choices.ts';
import type { VastVersion } from '../../creative/vast/vast-rules.ts';
import { listAt, type Json } from './auction-schema.ts';

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
