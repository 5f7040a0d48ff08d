import type { TargetingQuery } from '../targeting/targeting-query.ts';
import type { SlotSize } from './fits-slot.ts';

/** What the decision needs to know of a request: nothing of its wire shape, nobody's identity. */
export interface AdQuery {
  readonly targeting: TargetingQuery;
  readonly atMs: number;
  /** Whether a user may be remembered; without, frequency caps cannot be kept and such line items do not serve. */
  readonly mayRemember: boolean;
}

/** One impression of it. */
export interface ImpQuery {
  readonly impId: string;
  readonly placementId: string;
  readonly slot: SlotSize;
}
