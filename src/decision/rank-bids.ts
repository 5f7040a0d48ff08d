import type { Booking, LineItem } from '../catalog/model/entities.ts';
import { shuffle } from './random-order.ts';
import type { RankedCandidate } from './ranked-candidate.ts';

/**
 * A programmatic booking with the price that its bidder offered, micros per thousand impressions.
 */
export interface PricedBooking {
  readonly booking: Booking & Pick<RankedCandidate, 'clickRate'>;
  readonly cpmMicros: number;
}

/**
 * A bid is a CPM, whatever its line item says. An impression bills whole micros, so a thousandth of
 * the bid is rounded to the nearest.
 */
export const rankBids = (bids: readonly PricedBooking[], random: () => number): readonly RankedCandidate[] => {
  const ranked = bids.map(({ booking: { creative, lineItem, campaign, clickRate }, cpmMicros }, bid): RankedCandidate => {
    const priceMicros = Math.round(cpmMicros / 1000);
    return { creative, lineItem, campaign, ecpmMicros: cpmMicros, priceMicros, expectedMicros: priceMicros, clickRate, position: -1, bid };
  });
  if (ranked.length < 2) return ranked;
  shuffle(ranked, random);
  return ranked.sort((a, b) => a.lineItem.priority - b.lineItem.priority || b.ecpmMicros - a.ecpmMicros);
};

/** Whether a direct line item comes before a bid. */
export const outranks = (lineItem: LineItem, ecpmMicros: number, bid: RankedCandidate, random: () => number): boolean => {
  const difference = lineItem.priority - bid.lineItem.priority || bid.ecpmMicros - ecpmMicros;
  return difference < 0 || (difference === 0 && random() < 0.5);
};
