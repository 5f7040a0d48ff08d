import type { Creative } from '../../catalog/model/entities.ts';
import { reasonName, type NoBidReason, type Stage } from '../../decision/no-bid-reason.ts';
import type { ShownLimits } from './show-limits.ts';

/** stopped: at the stage in `stage`. depends_on_bid: no stage before the bidder call refuses it. */
export const OUTCOMES = ['wins', 'tied', 'outranked', 'depends_on_bid', 'stopped'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface CreativeExplanation {
  readonly creative_id: number;
  readonly impid: string | null;
  readonly outcome: Outcome;
  /** The stage that it reached. */
  readonly stage: Stage | 'ranking';
  readonly detail: string;
  readonly reason?: string;
  readonly nbr?: NoBidReason;
  /** The ledger's current values; null: they were not read, or are unavailable. */
  readonly limits: ShownLimits | null;
  /** Rank among the candidates that would be offered; 1 is first. */
  readonly rank?: number;
  readonly of?: number;
  readonly ecpm?: number;
  /** The first of the candidates ranked before it. */
  readonly behind?: readonly {
    readonly line_item_id: number;
    readonly creative_id: number;
    readonly priority: number;
    readonly ecpm: number;
  }[];
}

/** A creative that a stage refused. */
export const stopped = (
  creative: Creative,
  impid: string | null,
  stage: CreativeExplanation['stage'],
  nbr: NoBidReason,
  detail: string,
): CreativeExplanation => ({
  creative_id: creative.id,
  impid,
  outcome: 'stopped',
  stage,
  reason: reasonName(nbr),
  nbr,
  detail,
  limits: null,
});
