import type { Campaign, LineItem } from '../catalog/entities.ts';

/** One creative that could fill an impression, with what one impression of it costs. */
export interface RankedCandidate {
  readonly creativeId: number;
  readonly lineItem: LineItem;
  readonly campaign: Campaign;
  /** Billed on the impression: the CPM's thousandth, whole micros; 0 when billed by click or flat. */
  readonly priceMicros: number;
  /** What an impression is expected to bring, for pacing a money goal when the impression itself bills nothing. */
  readonly expectedMicros: number;
}
