import type { Booking } from '../catalog/model/entities.ts';

/**
 * The price of a candidate in an auction, micros per thousand impressions: the value that the
 * trafficker gives it, else its eCPM. 0: unknown.
 */
export const priceInAuction = ({ lineItem, ecpmMicros = 0 }: Booking & { readonly ecpmMicros?: number }): number =>
  (lineItem.type === 'direct' ? lineItem.valueCpmMicros : null) ?? ecpmMicros;

/**
 * One creative that could fill an impression, with its ranking figures and the cost of one
 * impression.
 */
export interface RankedCandidate extends Booking {
  /** Micros per thousand impressions: the ranking value, and the price in the answer. */
  readonly ecpmMicros: number;
  /**
   * Held until it is billed, in whole micros: on the impression a thousandth of the CPM, with CPCV the price of the completed
   * view; 0 when nothing is held.
   */
  readonly priceMicros: number;
  /**
   * What pacing divides a budget by: what is held for an impression, or its expected revenue where nothing is held.
   */
  readonly expectedMicros: number;
  /** The expected click-through rate, for a goal of clicks; 0 or undefined: it is not known. */
  readonly clickRate?: number | undefined;
  /** Position in the candidate index; -1 for a bid. */
  readonly position: number;
  /** Position in the bids that were ranked with it; -1 for a direct line item. */
  readonly bid: number;
}
