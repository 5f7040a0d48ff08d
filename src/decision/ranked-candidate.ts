import type { Campaign, Creative, LineItem } from '../catalog/model/entities.ts';

/** One creative that could fill an impression, with its place in the ranking and what one impression of it costs. */
export interface RankedCandidate {
  readonly creative: Creative;
  readonly lineItem: LineItem;
  readonly campaign: Campaign;
  /** Micros per thousand impressions: what it is ranked by, and the price that the answer names. */
  readonly ecpmMicros: number;
  /** Billed on the impression: the CPM's thousandth, whole micros; 0 when billed by click or flat. */
  readonly priceMicros: number;
  /** What an impression is expected to bring, for pacing a money goal when the impression itself bills nothing. */
  readonly expectedMicros: number;
  /** Position in the candidate index; -1 for a bid. */
  readonly position: number;
  /** Position in the bids that were ranked with it; -1 for a direct line item. */
  readonly bid: number;
}
