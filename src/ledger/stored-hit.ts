import type { Hit } from './hit.ts';

/**
 * A hit as it may be kept with its event. Where the user may not be measured, what identifies the
 * user or the browser is left out. The frequency cap does not need it there: its place is in Redis.
 */
export const storedHit = (hit: Hit): Hit =>
  hit.ad.unmeasured === true ? { ...hit, signals: undefined, ad: { ...hit.ad, userHash: null, client: undefined } } : hit;
