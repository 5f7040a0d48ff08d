import type { DocumentedColumn, RowOf } from '../export/event-columns.ts';

/**
 * What sinks get of a sampled impression that a page asked for: what was asked, offered and refused. No column names a visitor, so there is
 * nothing to forget. Columns are added in later releases, and neither renamed nor removed. Their words are in docs/sinks/decisions.md.
 */
export const DECISION_COLUMNS = {
  day: { type: 'date', isNullable: false, words: 'UTC day of `decided_at`' },
  decided_at: { type: 'timestamp', isNullable: false, words: 'When it was decided, UTC' },
  weight: { type: 'integer', isNullable: false, words: 'How many impressions it represents (`DECISION_SAMPLE`)' },
  publisher_id: { type: 'integer', isNullable: false, words: 'Publisher' },
  placement_id: { type: 'text', isNullable: false, words: 'Placement, as it was asked for' },
  sizes: { type: 'text', isNullable: true, words: 'Asked for, the preferred one first: `300x250,320x50`; null: none' },
  floor_micros: { type: 'long', isNullable: true, words: 'Lowest price of an auction, micros per thousand impressions; null: it was none' },
  country: { type: 'text', isNullable: true, words: 'ISO 3166-1; null: unknown' },
  device: { type: 'text', isNullable: true, words: 'As in targeting; null: unknown' },
  browser: { type: 'text', isNullable: true, words: 'Family; null: unknown, or the user may not be measured' },
  may_measure: { type: 'integer', isNullable: false, words: '1: the user may be measured, 0: not (privacy)' },
  may_remember: { type: 'integer', isNullable: false, words: '1: frequency caps could be enforced, 0: not' },
  outcome: { type: 'text', isNullable: false, words: '`served`, or the name of the `nbr`' },
  token_id: { type: 'text', isNullable: true, words: 'Of the bid, as events have it; null: no ad' },
  campaign_id: { type: 'integer', isNullable: true, words: 'Of the ad' },
  line_item_id: { type: 'integer', isNullable: true, words: 'Of the ad' },
  creative_id: { type: 'integer', isNullable: true, words: 'Of the ad' },
  price_micros: {
    type: 'long',
    isNullable: true,
    words: 'What the hit that bills it will bill, in micros of the currency of the publisher',
  },
  bidders_asked: { type: 'integer', isNullable: false, words: 'Programmatic line items whose bidders were called' },
  bids: { type: 'integer', isNullable: false, words: 'Valid bids' },
  offered: { type: 'text', isNullable: false, words: 'JSON: ids of the line items that could be shown, by rank, up to 20' },
  refused: {
    ...{ type: 'text', isNullable: false },
    words: 'JSON: `[{"line_item_id", "reason"}]`, up to 40 creatives that were not shown and why (the names of `nbr`)',
  },
} as const satisfies Readonly<Record<string, DocumentedColumn>>;

export type DecisionRow = RowOf<typeof DECISION_COLUMNS>;

/** In the order of files. */
export const DECISION_FILE_COLUMNS = Object.entries(DECISION_COLUMNS).map(
  ([name, column]): DocumentedColumn & { readonly name: string } => ({ name, ...column }),
);
