import type { CountedBy } from './roll-ups.ts';

export type Counted<Row> = Row & { readonly count: number };

/** Where a replica has counted something: by placement, by country, or by device and browser. '': counted by another, or unknown. */
export interface CountedPlace {
  readonly countedBy: CountedBy;
  readonly placementId: string;
  /** In which ads were shown; of requests that of the placement. */
  readonly size: string;
  readonly country: string;
  readonly device: string;
  readonly browser: string;
}

/** Requests with one outcome. */
export interface RequestRow extends CountedPlace {
  readonly publisherId: number;
  /** Why there was no ad; '': there was one. */
  readonly reason: string;
}

/** Ads of a line item. */
export interface ServeRow extends CountedPlace {
  readonly publisherId: number;
  readonly campaignId: number;
  readonly lineItemId: number;
  /** 0 unless it is counted by placement. */
  readonly creativeId: number;
}
