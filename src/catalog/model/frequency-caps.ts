import { SECONDS_PER_DAY } from '../../base/utc-day.ts';
import type { CapScope } from './choices.ts';

/** What a frequency cap counts of a user. */
export type CapCounts = 'impressions' | 'clicks';

/**
 * A line item is shown to a user only while they have seen, or clicked, fewer than `max` ads of the
 * scope within the window.
 */
export interface FrequencyCap {
  readonly scope: CapScope;
  readonly of: CapCounts;
  readonly max: number;
  readonly windowMs: number;
}

/** What is counted of the users of a campaign, because a line item has a cap over several. */
export interface SharedCount {
  readonly scope: Exclude<CapScope, 'line_item'>;
  readonly of: CapCounts;
  /** The longest window. */
  readonly windowMs: number;
}

/** The longest window, in seconds: 366 days. A window of a lifetime is as long. */
export const MAX_WINDOW_S = 31_622_400;
/** The most that a cap allows: each ad that is counted takes a place in Redis. */
export const MAX_OF_A_CAP = 100;

export const NO_CAPS: readonly FrequencyCap[] = [];
export const NO_SHARED_COUNTS: readonly SharedCount[] = [];

/** The fields of a line item about frequency, as they are booked. */
export interface BookedCaps {
  readonly frequency_cap: number | null;
  readonly frequency_window: number | null;
  readonly frequency_caps: readonly BookedCap[];
}

export interface BookedCap {
  readonly scope: CapScope;
  readonly impressions?: number | null;
  readonly clicks?: number | null;
  /** Seconds; null: a lifetime. */
  readonly window: number | null;
}

/** All caps of a line item; the pair `frequency_cap` and `frequency_window` is the short form of one. */
export const frequencyCapsOf = (record: BookedCaps): readonly FrequencyCap[] => {
  const { frequency_cap: places, frequency_window: window } = record;
  const caps = record.frequency_caps.map(capOf);
  if (places === null) return caps.length === 0 ? NO_CAPS : caps;
  return [{ scope: 'line_item', of: 'impressions', max: places, windowMs: (window ?? SECONDS_PER_DAY) * 1000 }, ...caps];
};

export const capOf = ({ scope, impressions, clicks, window }: BookedCap): FrequencyCap => ({
  scope,
  of: clicks == null ? 'impressions' : 'clicks',
  max: clicks ?? impressions ?? MAX_OF_A_CAP,
  windowMs: (window ?? MAX_WINDOW_S) * 1000,
});

/** A cap in words: `3 impressions of the campaign within 86400 s`. */
export const capWords = ({ scope, of, max, windowMs }: FrequencyCap): string => {
  const whose = scope === 'line_item' ? '' : ` of the ${scope}`;
  const window = windowMs === MAX_WINDOW_S * 1000 ? 'in all' : `within ${windowMs / 1000} s`;
  return `${max} ${max === 1 ? of.slice(0, -1) : of}${whose} ${window}`;
};
