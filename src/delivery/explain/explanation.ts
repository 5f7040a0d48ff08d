import { component } from '../../api/component.ts';
import {
  boolean,
  integer,
  listOf,
  moment,
  nullOr,
  number,
  oneOf,
  optional,
  orNull,
  record,
  text,
  usd,
  type Shape,
} from '../../base/schema.ts';
import type { Creative } from '../../catalog/model/entities.ts';
import { reasonName, type NoBidReason, type Stage } from '../../decision/no-bid-reason.ts';

/** stopped: at the stage in `stage`. depends_on_bid: no stage before the bidder call refuses it. */
export const OUTCOMES = ['wins', 'tied', 'outranked', 'depends_on_bid', 'stopped'] as const;

/** One limit: the amounts used and reserved, and the maximum. */
const USAGE = record({ used: number, reserved: number, limit: number });
export type Usage = Shape<typeof USAGE>;

/** The ledger's current values, of the limits that the line item or its campaign has. Money in USD. */
const LIMITS = component(
  'Limits',
  record({
    daily_impressions: optional(USAGE),
    daily_spend: optional(USAGE),
    budget: optional(USAGE),
    campaign_budget: optional(USAGE),
    goal_impressions: optional(USAGE),
    goal_clicks: optional(USAGE),
    frequency: optional(
      record({
        places_held: integer,
        places: integer,
        window: number,
        free_at: orNull(text, { description: 'When the user may be shown it again; null: now' }),
      }),
    ),
    pacing: optional(record({ mode: text, target: integer, goal: integer, permits: number })),
    rate: optional(record({ tokens: number, per_second: number, burst: number })),
    words: listOf(text),
  }),
);
export type ShownLimits = Shape<typeof LIMITS>;

const CREATIVE_EXPLANATION = component(
  'CreativeExplanation',
  record({
    creative_id: integer,
    impid: orNull(text),
    outcome: oneOf(OUTCOMES),
    stage: text,
    detail: text,
    reason: optional(text),
    nbr: optional(integer),
    limits: nullOr(LIMITS),
    rank: optional(integer),
    of: optional(integer),
    ecpm: optional(usd),
    behind: optional(listOf(record({ line_item_id: integer, creative_id: integer, priority: integer, ecpm: usd }))),
  }),
);

/**
 * What becomes of one creative. Its limits are null when they were not read, or are unavailable. Its
 * rank is that among the candidates that would be offered, 1 is first; `behind` are the first before it.
 */
export interface CreativeExplanation extends Shape<typeof CREATIVE_EXPLANATION> {
  /** The stage that it reached. */
  readonly stage: Stage | 'ranking';
}

/** Why a line item would or would not fill a request. */
export const EXPLANATION = component(
  'Explanation',
  record({
    request_id: text,
    line_item_id: integer,
    at: moment,
    snapshot_version: integer,
    context: record({ country: orNull(text), device: orNull(text), may_remember_user: boolean }),
    outcome: oneOf(OUTCOMES),
    summary: text,
    creatives: listOf(CREATIVE_EXPLANATION),
  }),
  {
    ...{ request_id: 'page-view-81', line_item_id: 5, at: '2026-10-14T12:00:00.000Z', snapshot_version: 12 },
    context: { country: 'FI', device: 'desktop', may_remember_user: true },
    outcome: 'stopped',
    summary: 'stopped at targeting: devices: the request has desktop',
    creatives: [
      {
        ...{ creative_id: 9, impid: '1', outcome: 'stopped', stage: 'targeting', detail: 'devices: the request has desktop' },
        ...{ reason: 'targeting', nbr: 503, limits: null },
      },
    ],
  },
);
/** The outcome and the summary are those of the creative that came furthest; the context is what was read from the request. */
export type Explanation = Shape<typeof EXPLANATION>;

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
