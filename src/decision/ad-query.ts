import type { CreativeFormat } from '../catalog/model/entities.ts';
import type { TargetingQuery } from '../targeting/targeting-query.ts';

/** What the decision reads of a request: neither its wire format nor the user's identity. */
export interface AdQuery {
  readonly targeting: TargetingQuery;
  readonly atMs: number;
  /**
   * Whether frequency caps can be enforced: by the user id, or in the memory of this replica. If
   * false, line items with one do not serve.
   */
  readonly mayRemember: boolean;
}

/** One impression of the request. */
export interface ImpQuery {
  readonly impId: string;
  readonly placementId: string;
  readonly size: AdSize;
  /** What the placement allows. */
  readonly formats: readonly CreativeFormat[];
}

/** The size at which an impression is shown, in CSS pixels. */
export interface AdSize {
  readonly width: number;
  readonly height: number;
}
