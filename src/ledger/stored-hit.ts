import type { Hit } from './hit.ts';

/**
 * A hit as it may wait to be settled. Where the user may not be measured, the seal and the client of
 * its token end with the judgement of the hit: they are stored nowhere.
 */
export const pendingHit = (hit: Hit): Hit =>
  hit.ad.unmeasured === true ? { ...hit, ad: { ...hit.ad, client: undefined, seal: undefined } } : hit;

/**
 * A hit as it may be kept with its event. Where the user may not be measured, what identifies the
 * user or the browser is left out. The frequency cap does not need it there: its place is in Redis.
 */
export const storedHit = (hit: Hit): Hit =>
  hit.ad.unmeasured === true ? { ...hit, ...UNKNOWN_VISITOR, ad: { ...hit.ad, userHash: null, client: undefined, seal: undefined } } : hit;

const UNKNOWN_VISITOR = { signals: undefined, region: undefined, browser: undefined };
