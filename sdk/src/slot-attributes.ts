import type { KeyValues } from './contract.ts';

/** Marks an element as a slot; its value is the placement. */
export const SLOT = 'data-adsdk-slot';
/** Written by the SDK, for the page's styles: `loading`, `filled` or `empty`. */
export type SlotState = 'loading' | 'filled' | 'empty';

const KEY_VALUE = 'data-kv-';

/**
 * The key-values of a slot: `data-kv-section="sport"` is `section`, and `"sport, local"` a list of
 * values. Those of the call replace them. undefined: none.
 */
export const keyValuesOf = ({ attributes }: Element, ofCall: KeyValues | undefined): KeyValues | undefined => {
  const all = { ...ofCall };
  for (const { name, value } of attributes)
    if (name.startsWith(KEY_VALUE)) all[name.slice(KEY_VALUE.length)] ??= value.includes(',') ? value.split(/\s*,\s*/) : value;
  return Object.keys(all).length ? all : undefined;
};

/** Refreshed more often, an ad is not seen. */
const MIN_REFRESH_S = 10;

/** Seconds in view after which `data-refresh="30s"` requests the next ad, in ms. undefined: never. */
export const refreshMsOf = ({ dataset: { refresh } }: HTMLElement): number | undefined => {
  const seconds = parseInt(refresh ?? '', 10);
  return seconds > 0 ? Math.max(seconds, MIN_REFRESH_S) * 1000 : undefined;
};
