import { component } from '../../api/component.ts';
import * as s from '../../base/schema.ts';

const DAY_EXAMPLE = { from: '2026-10-14', to: '2026-10-14' };

/** Impressions of the placements of a line item that it could have had and did not get. */
export const REFUSALS = component(
  'Refusals',
  s.record({
    line_item_id: s.integer,
    from: s.day,
    to: s.day,
    off_target: s.described(s.count, 'Impressions that its targeting did not match; not among those lost'),
    lost: s.described(s.count, 'Impressions that it could have had and did not get'),
    reasons: s.listOf(
      s.record({
        reason: s.described(s.text, '`outranked`, or the name of a no-bid reason'),
        words: s.text,
        impressions: s.count,
        share: s.described(s.number, 'Of all that were lost'),
        outranked_by: s.listOf(
          s.record({ line_item_id: s.integer, line_item: s.orNull(s.text, { description: 'null: deleted' }), impressions: s.count }),
        ),
        remedy: s.nullOr(
          s.record({
            label: s.text,
            table: s.oneOf(['line_items', 'campaigns']),
            id: s.integer,
            patch: s.anyObject({ description: 'A merge patch' }),
          }),
          {},
          'No change of one record helps',
        ),
      }),
    ),
    hours: s.listOf(s.record({ hour: s.moment, off_target: s.count, lost: s.count })),
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
export type Refusals = s.Shape<typeof REFUSALS>;
/** The most frequent first. */
export type RefusalRow = Refusals['reasons'][number];
/** A line item that was shown in place of another; the most frequent first. */
export type Rival = RefusalRow['outranked_by'][number];
/** A change that would take a reason away; its label is an imperative. */
export type Remedy = NonNullable<RefusalRow['remedy']>;

/** What became of the requests for a placement. */
export const PLACEMENT_REFUSALS = component(
  'PlacementRefusals',
  s.record({
    placement_id: s.text,
    from: s.day,
    to: s.day,
    requests: s.count,
    unfilled: s.count,
    reasons: s.listOf(
      s.record({
        reason: s.described(s.text, 'The name of the no-bid reason that came closest to an ad'),
        words: s.text,
        requests: s.count,
        share: s.described(s.number, 'Of all requests'),
      }),
    ),
  }),
  {
    ...{ placement_id: 'article-top', ...DAY_EXAMPLE, requests: 12_000, unfilled: 1_080 },
    reasons: [{ reason: 'daily_cap', words: 'the daily cap is delivered or reserved', requests: 1_080, share: 0.09 }],
  },
);
export type PlacementRefusals = s.Shape<typeof PLACEMENT_REFUSALS>;
