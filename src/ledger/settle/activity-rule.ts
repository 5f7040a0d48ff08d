import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from '../../base/utc-day.ts';

/**
 * The bounds of what a person does over time, for the ledger (lua/activity.lua: table `ACTIVITY`) and for
 * stored days (tracking/invalid-traffic/activity.ts). The MRC asks for activity-based filtration and
 * leaves the bounds to the server; docs/invalid-traffic.md gives the reason of each.
 */
export const ACTIVITY_RULE = {
  /** More clicks of one user are no person's, if they are also at least this share of the user's impressions. */
  clicksAMinute: 5,
  clicksAnHour: 15,
  clicksADay: 30,
  busyShare: 0.02,
  /** Clicks on so many of the impressions, if there are so many clicks: of a user, or of a network. */
  everyShare: 1 / 3,
  everyClicks: 5,
  everyClicksOfNetwork: 10,
  /** So many times between clicks in a row are regular if they differ by at most this share of the longest one. */
  intervals: 5,
  intervalSpread: 0.1,
  /** More impressions of one user in a UTC day, half of them in one network, are no person's. */
  impressionsADay: 5_000,
  /** Clicks of a creative or a network in a window are far above its own history, once that has so many impressions. */
  windowMs: MS_PER_HOUR,
  historyImpressions: 1_000,
  excess: 5,
  excessClicks: 10,
  /** For so long afterwards its clicks are provisional from the first one of a window. */
  suspectMs: 7 * MS_PER_DAY,
  /** When a provisional click is judged. */
  judgeAfterMs: 10 * MS_PER_MINUTE,
  /** What was seen of a visitor, a network or a creative is kept so long after its last click; a visitor is barred so long. */
  memoryMs: 7 * MS_PER_DAY,
  /** Above these a history counts half. */
  maxHistoryClicks: 64,
  maxHistoryImpressions: 100_000,
} as const;
export type ActivityRule = { readonly [Bound in keyof typeof ACTIVITY_RULE]: number };

/**
 * Counters of impressions of a shard and UTC day, 16 bits each: 1 MB. Two visitors with the same one have
 * the impressions of both, so that a click may pass that is none, and never the other way.
 */
const COUNTERS = 2 ** 19;
const BITS = 16;
/** The first counter says that there are some; the second is that of unknown users and networks. */
const RESERVED = 2;
/** The bit offset of the counter of an unknown user or network. */
export const UNKNOWN_AT = BITS;

/** The bit offset of a counter, by a part of a keyed hash (FNV-1a). */
export const counterAt = (publisherId: number, hash: string, from: number, to: number): number => {
  let mixed = 0x811c9dc5 ^ publisherId;
  for (let i = from; i < to; i++) mixed = Math.imul(mixed ^ hash.charCodeAt(i), 0x01000193);
  return BITS * (RESERVED + (((mixed ^ (mixed >>> 13)) >>> 0) % (COUNTERS - RESERVED)));
};
