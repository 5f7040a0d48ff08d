import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import type { MatchLineItem } from './match-line-item.ts';
import type { ComingDays } from './replay/coming-days.ts';
import type { HitRates, StartedAccount } from './replay/known-delivery.ts';
import type { Prediction } from './replay/predict.ts';
import type { ReplayRequest } from './replay/replayed-request.ts';
import type { SoldSums } from './replay/sold-tally.ts';

/** What all bookings of a publisher deliver. Sums are of impressions of the replay (`prediction.coming.scale`). */
export interface Baseline extends SoldSums {
  /** Of the catalog. */
  readonly version: number;
  readonly prediction: Prediction;
  /** That of the ranges. */
  readonly widening: number;
}

/** Who gets what of each placement, by the last replay. */
export type Sold = Pick<Baseline, 'available' | 'winners'>;

export interface AskedForecast {
  readonly snapshot: Snapshot;
  readonly publisherId: number;
  readonly lineItemId: number;
  readonly coming: ComingDays;
  readonly matches: MatchLineItem;
  /** The placements of the line item that its creatives follow; empty: each of them names its own. */
  readonly followed: readonly string[];
  readonly toRequest: ReplayRequest;
  readonly options: { readonly started: readonly StartedAccount[]; readonly rates: HitRates };
  /** The date of a day, since the epoch. */
  readonly dateOf: (day: number) => string;
}

/** Where its creatives run. */
export const placementsOf = ({ snapshot, lineItemId }: Pick<AskedForecast, 'snapshot' | 'lineItemId'>): readonly string[] => [
  ...new Set(snapshot.creativesOf(lineItemId).flatMap(({ placementIds }) => placementIds)),
];
