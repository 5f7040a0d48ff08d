import { component } from '../../api/component.ts';
import * as s from '../../base/schema.ts';
import { CAP_SCOPES } from '../../catalog/model/choices.ts';
import type { Creative } from '../../catalog/model/entities.ts';
import { reasonName, type NoBidReason, type Stage } from '../../decision/no-bid-reason.ts';

/** stopped: at the stage in `stage`. depends_on_bid: no stage before the bidder call refuses it. */
export const OUTCOMES = ['wins', 'tied', 'outranked', 'depends_on_bid', 'stopped'] as const;

/** One limit: the amounts used and reserved, and the maximum. */
const USAGE = s.record({ used: s.number, reserved: s.number, limit: s.number });
export type Usage = s.Shape<typeof USAGE>;

/** The ledger's current values, of the limits that the line item or its campaign has. Money in the publisher's currency. */
const LIMITS = component(
  'Limits',
  s.record({
    daily_impressions: s.optional(USAGE),
    daily_spend: s.optional(USAGE),
    budget: s.optional(USAGE),
    campaign_budget: s.optional(USAGE),
    campaign_daily_budget: s.optional(USAGE),
    goal_impressions: s.optional(USAGE),
    goal_clicks: s.optional(USAGE),
    frequency: s.optional(
      s.record({
        scope: s.oneOf(CAP_SCOPES),
        of: s.oneOf(['impressions', 'clicks']),
        places_held: s.integer,
        places: s.integer,
        window: s.number,
        free_at: s.orNull(s.text, { description: 'When the user may be shown it again; null: now' }),
      }),
    ),
    pacing: s.optional(s.record({ mode: s.text, target: s.integer, goal: s.integer, permits: s.number })),
    rate: s.optional(s.record({ tokens: s.number, per_second: s.number, burst: s.number })),
    words: s.listOf(s.text),
  }),
);
export type ShownLimits = s.Shape<typeof LIMITS>;

const CREATIVE_EXPLANATION = component(
  'CreativeExplanation',
  s.record({
    creative_id: s.integer,
    impid: s.orNull(s.text),
    outcome: s.oneOf(OUTCOMES),
    /** That it reached. */
    stage: s.textOf<Stage | 'ranking'>(),
    detail: s.text,
    reason: s.optional(s.text),
    nbr: s.optional(s.integer),
    limits: s.nullOr(LIMITS),
    rank: s.optional(s.integer),
    of: s.optional(s.integer),
    ecpm: s.optional(s.money),
    behind: s.optional(s.listOf(s.record({ line_item_id: s.integer, creative_id: s.integer, priority: s.integer, ecpm: s.money }))),
  }),
);

/**
 * What becomes of one creative. Its limits are null when they were not read, or are unavailable. Its
 * rank is that among the candidates that would be offered, 1 is first; `behind` are the first before it.
 */
export type CreativeExplanation = s.Shape<typeof CREATIVE_EXPLANATION>;

/** Why a line item would or would not fill a request. */
export const EXPLANATION = component(
  'Explanation',
  s.record({
    request_id: s.text,
    line_item_id: s.integer,
    at: s.moment,
    snapshot_version: s.integer,
    context: s.record({ country: s.orNull(s.text), device: s.orNull(s.text), may_remember_user: s.boolean }),
    outcome: s.oneOf(OUTCOMES),
    summary: s.text,
    creatives: s.listOf(CREATIVE_EXPLANATION),
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
export type Explanation = s.Shape<typeof EXPLANATION>;

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
