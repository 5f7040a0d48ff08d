import { component } from '../../api/component.ts';
import * as s from '../../base/schema.ts';
import { DELIVERY_STATUSES } from '../../decision/no-bid-reason.ts';
import { WEEK } from '../sums/recent-counts.ts';

/** The status of a line item or a campaign, wherever it is shown. */
export const STATUS = component(
  'Status',
  s.record({
    value: s.oneOf(DELIVERY_STATUSES),
    reasons: s.listOf(s.text, { description: 'Everything that applies; the reasons of `value` first' }),
    off_pace: s.described(
      s.number,
      'The share of what is due by now that is missing, or too much if `value` is ahead; 0: neither, and of a campaign, whose line items have theirs',
    ),
    behind: s.orNull(s.text, { description: 'What is behind, whatever `value` is; null: nothing, or it is paused, archived or at a goal' }),
    held_until: s.orNull(s.moment, { description: 'When pacing lets it serve again; null: it is not held back' }),
    stuck_creatives: s.listOf(s.record({ id: s.integer, reason: s.text }), {
      description: 'The first of its creatives that cannot be shown',
    }),
  }),
);
export type LineItemStatus = s.Shape<typeof STATUS>;

/** Limits and goals whose use a list shows, by the fields of a line item; the first that is set. */
export const PROGRESS_OF = ['goal_impressions', 'goal_clicks', 'daily_impression_cap', 'daily_spend_cap', 'budget'] as const;

/** The part of a goal or a limit that is delivered. Money in the publisher's currency. */
const PROGRESS = s.record({ of: s.oneOf(PROGRESS_OF), done: s.number, limit: s.number });
export type Progress = s.Shape<typeof PROGRESS>;

export const STATUS_EXAMPLE: LineItemStatus = {
  value: 'behind',
  reasons: ['Behind by 16.9% today: 4,237 delivered or reserved of 5,100 due by now'],
  off_pace: 0.17,
  behind: 'Behind by 16.9% today: 4,237 delivered or reserved of 5,100 due by now',
  held_until: null,
  stuck_creatives: [],
};

const LISTED_EXAMPLE = {
  ...{ live: true, impressions_today: 4237, spend_today: 21.185 },
  progress: { of: 'goal_impressions', done: 58_100, limit: 200_000 },
} as const;

/** What a list shows of the delivery of a line item. */
const LISTED_DELIVERY = component(
  'ListedDelivery',
  s.record({
    live: s.described(s.boolean, 'false: the counters are unavailable, and the figures are those stored so far'),
    impressions_today: s.described(s.count, 'Net'),
    spend_today: s.described(s.money, 'Fees are not in it'),
    progress: s.nullOr(
      PROGRESS,
      { description: 'The delivered part of the first goal or limit that is set' },
      'Neither a goal nor a limit is set',
    ),
  }),
  LISTED_EXAMPLE,
);
export type ListedDelivery = s.Shape<typeof LISTED_DELIVERY>;

const WEEK_EXAMPLE = { impressions: 29_400, before: 27_100 };

/** By id, which is text in JSON. */
export const STATUSES = component(
  'Statuses',
  s.record({
    line_items: s.mapOf(STATUS, { description: 'By id' }),
    campaigns: s.mapOf(STATUS, { description: 'By id' }),
    deliveries: s.mapOf(LISTED_DELIVERY, { description: 'Of the same line items, by id' }),
    weeks: s.record({
      line_items: s.mapOf(WEEK, { description: 'By id, of those that have delivered in these days' }),
      campaigns: s.mapOf(WEEK),
    }),
  }),
  {
    line_items: { 5: STATUS_EXAMPLE },
    campaigns: { 3: { ...STATUS_EXAMPLE, reasons: ['1 of 4 line items need attention'] } },
    deliveries: { 5: LISTED_EXAMPLE },
    weeks: { line_items: { 5: WEEK_EXAMPLE }, campaigns: { 3: WEEK_EXAMPLE } },
  },
);
export type Statuses = s.Shape<typeof STATUSES>;
