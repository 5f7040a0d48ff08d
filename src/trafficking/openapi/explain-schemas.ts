import { BULK_SCHEMA } from '../../bookings/bulk-route.ts';
import { OUTCOMES } from '../../delivery/explain/explanation.ts';
import { boolean, integer, listOf, moment, number, oneOf, orNull, record, ref, text, usd } from '../../api/schema.ts';

const usage = record({ used: number, reserved: number, limit: number });

/** POST /api/explain. */
export const EXPLAIN_SCHEMAS = {
  BulkChange: BULK_SCHEMA,
  BulkResults: record({
    results: listOf(
      record(
        { status: integer },
        { properties: { status: integer, body: { type: 'object', description: 'As the write alone would answer' } } },
      ),
    ),
  }),
  Question: record(
    { request: { anyOf: [ref('AdRequest'), ref('FlatAdRequest')] }, line_item_id: integer },
    { additionalProperties: false },
  ),
  DebugGrantRequest: record({ publisher_id: integer }, { additionalProperties: false }),
  DebugGrant: record({ token: text, url: text, expires: moment }),
  Explanation: record({
    request_id: text,
    line_item_id: integer,
    at: moment,
    snapshot_version: integer,
    context: record({ country: orNull('string'), device: orNull('string'), may_remember_user: boolean }),
    outcome: oneOf(OUTCOMES),
    summary: text,
    creatives: listOf(ref('CreativeExplanation')),
  }),
  CreativeExplanation: {
    type: 'object',
    required: ['creative_id', 'impid', 'outcome', 'stage', 'detail', 'limits'],
    properties: {
      creative_id: integer,
      impid: orNull('string'),
      outcome: oneOf(OUTCOMES),
      stage: text,
      detail: text,
      reason: text,
      nbr: integer,
      limits: { anyOf: [{ type: 'null' }, ref('Limits')] },
      rank: integer,
      of: integer,
      ecpm: usd,
      behind: listOf(record({ line_item_id: integer, creative_id: integer, priority: integer, ecpm: usd })),
    },
  },
  Limits: {
    type: 'object',
    required: ['words'],
    properties: {
      daily_impressions: usage,
      daily_spend: usage,
      budget: usage,
      campaign_budget: usage,
      goal_impressions: usage,
      goal_clicks: usage,
      frequency: record({
        places_held: integer,
        places: integer,
        window: number,
        free_at: orNull('string', { description: 'When the user may be shown it again; null: now' }),
      }),
      pacing: record({ mode: text, target: integer, goal: integer, permits: number }),
      rate: record({ tokens: number, per_second: number, burst: number }),
      words: listOf(text),
    },
  },
};
