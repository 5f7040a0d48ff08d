import { component } from '../../api/component.ts';
import {
  anyObject,
  count,
  day,
  described,
  integer,
  listOf,
  moment,
  nullOr,
  number,
  oneOf,
  orNull,
  record,
  text,
  type Shape,
} from '../../base/schema.ts';

const DAY_EXAMPLE = { from: '2026-10-14', to: '2026-10-14' };

/** Impressions of the placements of a line item that it could have had and did not get. */
export const REFUSALS = component(
  'Refusals',
  record({
    line_item_id: integer,
    from: day,
    to: day,
    off_target: described(count, 'Impressions that its targeting did not match; not among those lost'),
    lost: described(count, 'Impressions that it could have had and did not get'),
    reasons: listOf(
      record({
        reason: described(text, '`outranked`, or the name of a no-bid reason'),
        words: text,
        impressions: count,
        share: described(number, 'Of all that were lost'),
        outranked_by: listOf(
          record({ line_item_id: integer, line_item: orNull(text, { description: 'null: deleted' }), impressions: count }),
        ),
        remedy: nullOr(
          record({
            label: text,
            table: oneOf(['line_items', 'campaigns']),
            id: integer,
            patch: anyObject({ description: 'A merge patch' }),
          }),
          {},
          'No change of one record helps',
        ),
      }),
    ),
    hours: listOf(record({ hour: moment, off_target: count, lost: count })),
  }),
  {
    ...{ line_item_id: 5, ...DAY_EXAMPLE, off_target: 9100, lost: 2000 },
    reasons: [
      {
        ...{ reason: 'outranked', words: 'another line item ranks before it', impressions: 1640, share: 0.82 },
        outranked_by: [{ line_item_id: 8, line_item: 'Sponsor', impressions: 1640 }],
        remedy: { label: 'Raise the price to $8.01 CPM', table: 'line_items', id: 5, patch: { cpm: 8.01 } },
      },
      {
        ...{ reason: 'frequency_capped', words: 'the user has reached the frequency cap', impressions: 360, share: 0.18 },
        ...{ outranked_by: [], remedy: null },
      },
    ],
    hours: [{ hour: '2026-10-14T11:00:00.000Z', off_target: 9100, lost: 2000 }],
  },
);
export type Refusals = Shape<typeof REFUSALS>;
/** The most frequent first. */
export type RefusalRow = Refusals['reasons'][number];
/** A line item that was shown in place of another; the most frequent first. */
export type Rival = RefusalRow['outranked_by'][number];
/** A change that would take a reason away; its label is an imperative. */
export type Remedy = NonNullable<RefusalRow['remedy']>;

/** What became of the requests for a placement. */
export const PLACEMENT_REFUSALS = component(
  'PlacementRefusals',
  record({
    placement_id: text,
    from: day,
    to: day,
    requests: count,
    unfilled: count,
    reasons: listOf(
      record({
        reason: described(text, 'The name of the no-bid reason that came closest to an ad'),
        words: text,
        requests: count,
        share: described(number, 'Of all requests'),
      }),
    ),
  }),
  {
    ...{ placement_id: 'article-top', ...DAY_EXAMPLE, requests: 12_000, unfilled: 1_080 },
    reasons: [{ reason: 'daily_cap', words: 'the daily cap is delivered or reserved', requests: 1_080, share: 0.09 }],
  },
);
export type PlacementRefusals = Shape<typeof PLACEMENT_REFUSALS>;
