import type { TargetingRule } from '../../targeting/targeting-rules.ts';

/** What staff know of traffic to come: an election night with three times the requests in politics. */
export interface TrafficEvent {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly factor: number;
  /** Empty: on all placements. */
  readonly placements: readonly string[];
  /** Requests that meet every rule. */
  readonly targeting: readonly TargetingRule[];
}
