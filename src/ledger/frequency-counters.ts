import type { Campaign, LineItem } from '../catalog/model/entities.ts';
import type { CapCounts, FrequencyCap } from '../catalog/model/frequency-caps.ts';

/*
 * A user has a counter for each line item, campaign and advertiser that a frequency cap counts, one
 * of impressions and one of clicks. Its number is that of the record (Postgres's integer) and what
 * it is; the counters of line items are numbered as these are. lua/frequency.lua stores 5 bytes.
 */

/** What lies between the numbers of two kinds of counters. */
const KIND = 2 ** 32;
const KINDS = { line_item: 0, campaign: 1, advertiser: 2 } as const;
const CLICKS_FROM = 3 * KIND;

/** Every counter is below it. */
export const MAX_COUNTER = 6 * KIND;
/** Three scopes, of impressions and of clicks, each with its window. */
export const MAX_COUNTED = 12;

/** Counters with the seconds for which an ad counts, one after the other. */
export type Counted = readonly number[];

/** What says which counters an ad counts in. */
export interface CountedBooking {
  readonly lineItem: LineItem;
  readonly campaign: Campaign;
}
type Counting = Pick<FrequencyCap, 'scope' | 'of' | 'windowMs'>;

/** The counter of a cap. The campaign of an advertiser that is not known is its only one. */
export const counterOf = ({ scope, of }: Pick<FrequencyCap, 'scope' | 'of'>, { lineItem, campaign }: CountedBooking): number => {
  const clicks = of === 'clicks' ? CLICKS_FROM : 0;
  if (scope === 'line_item') return clicks + lineItem.id;
  const { advertiserId } = campaign;
  return scope === 'advertiser' && advertiserId !== null
    ? clicks + KINDS.advertiser * KIND + advertiserId
    : clicks + KINDS.campaign * KIND + campaign.id;
};

export const countsWhat = (counter: number): CapCounts => (counter >= CLICKS_FROM ? 'clicks' : 'impressions');

/** Whether ads of a line item count for the frequency caps of it or of others. */
export const isCountedForCaps = ({ lineItem, campaign }: CountedBooking): boolean =>
  lineItem.frequencyCaps.length > 0 || campaign.counted.length > 0;

/** What an ad counts for a user, each counter once with its longest window; undefined: nothing. */
export const countedOf = (booked: CountedBooking): Counted | undefined => {
  const { frequencyCaps: caps } = booked.lineItem;
  const { counted } = booked.campaign;
  if (caps.length === 0 && counted.length === 0) return undefined;
  const [only] = caps;
  // The usual case.
  if (only && caps.length === 1 && counted.length === 0) return [counterOf(only, booked), only.windowMs / 1000];
  return mergedCounts(
    [caps, counted].flatMap((all: readonly Counting[]) => all.flatMap((one) => [counterOf(one, booked), one.windowMs / 1000])),
  );
};

/** The same counters, each once. */
export const mergedCounts = (counted: Counted): Counted => {
  const windows = new Map<number, number>();
  for (let i = 0; i < counted.length; i += 2) {
    const [counter, window] = [counted[i]!, counted[i + 1]!];
    windows.set(counter, Math.max(window, windows.get(counter) ?? 0));
  }
  return [...windows].flat();
};

/** Those of impressions, or of clicks. */
export const countsOf = (counted: Counted, what: CapCounts): Counted => {
  // Both parts of a pair are looked at by its counter.
  const kept = counted.filter((_, i) => countsWhat(counted[i - (i % 2)]!) === what);
  return kept.length === counted.length ? counted : kept;
};

/** A cap with the counter that it looks at. */
export interface CountedCap extends FrequencyCap {
  readonly counter: number;
}

/** The caps of a line item; null: none. */
export const countedCaps = (booked: CountedBooking): readonly CountedCap[] | null => {
  const { frequencyCaps: caps } = booked.lineItem;
  return caps.length === 0 ? null : caps.map((cap) => ({ ...cap, counter: counterOf(cap, booked) }));
};

/** The caps one after the other, as lua/frequency.lua reads them: the counter, how many it allows, and the window in milliseconds. */
export const capTriples = (caps: readonly CountedCap[]): readonly number[] =>
  caps.flatMap(({ counter, max, windowMs }) => [counter, max, windowMs]);
