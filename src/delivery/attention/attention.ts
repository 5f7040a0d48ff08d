import { component } from '../../api/component.ts';
import { AMOUNTS } from '../../catalog/model/amounts.ts';
import * as s from '../../base/schema.ts';
import type { ForecastRemedy } from '../../forecast/forecast-answer.ts';

/** Why something needs attention, most urgent first. A line item is in one of the first five at most. */
export const ATTENTION_KINDS = [
  'cannot_serve',
  'behind',
  'limited',
  'outranked',
  'will_miss',
  'complaints',
  'not_played',
  'pending_creatives',
  'ends_soon',
  'quarantined',
  'rebuilding',
  'drift',
  'dead_events',
] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];

/** What an ad of a direct campaign needs, in the order of setting it up. */
const RECORDS = { publishers: s.count, placements: s.count, campaigns: s.count, line_items: s.count, creatives: s.count };
export const SET_UP_KINDS = Object.keys(RECORDS) as readonly (keyof typeof RECORDS)[];

const REMEDY = s.record({
  ...{ change: s.textOf<ForecastRemedy['change']>(), words: s.text, p50: s.described(s.count, 'Impressions that it would deliver') },
  fields: s.anyObject({ description: 'Of the line item, what would change (JSON merge patch)' }),
});

const TABLES = ['line_items', 'creatives'] as const;

/** What needs attention, here and on the home screen. */
export const ATTENTION = component(
  'Attention',
  s.record({
    at: s.moment,
    line_items: s.described(s.countsByName, 'By status, those in flight or within three days of it'),
    groups: s.listOf(
      s.record({
        kind: s.oneOf(ATTENTION_KINDS),
        total: s.count,
        at_risk: s.described(AMOUNTS, 'Of all of them, by the currency of their publishers'),
        rows: s.listOf(
          s.record({
            table: s.orNull(s.oneOf(TABLES), { enum: [...TABLES, null] }),
            id: s.orNull(s.integer),
            name: s.text,
            text: s.text,
            at_risk: s.orNull(s.number, {
              description:
                'What is lost if it goes on like this: of what was agreed, the part that is behind, or that of the days left; null: not known',
            }),
            currency: s.orNull(s.text, { description: 'Of what is at risk' }),
            ends_at: s.orNull(s.moment, { description: 'The end of its flight' }),
            remedy: s.nullOr(REMEDY, {
              description: 'Of a line item that is forecast to miss its goal, what helps most: also where it is behind already',
            }),
          }),
        ),
      }),
    ),
    ended: s.listOf(
      s.record({ line_item_id: s.integer, name: s.text, ended_at: s.moment, impressions: s.count, spend: s.number, currency: s.text }),
    ),
    records: s.record(RECORDS, { description: 'Records that are not archived' }),
    seen: s.record(
      {
        placement: s.orNull(s.text, { description: 'A placement that a page has asked for; null: none yet' }),
        impression: s.described(s.boolean, 'Whether an ad was ever shown'),
      },
      { description: 'What has come from pages; counted within half a minute' },
    ),
    health: s.record({
      replicas: s.described(s.integer, 'Replicas that are running; one that ended without a word counts for 35 seconds more'),
      counters: s.described(s.boolean, 'Whether the counters in Redis can be read'),
      catalog_version: s.orNull(s.integer),
      catalog_age_seconds: s.orNull(s.integer),
    }),
  }),
  {
    at: '2026-10-14T12:00:00.000Z',
    line_items: { delivering: 412, behind: 3 },
    groups: [
      {
        ...{ kind: 'behind', total: 3, at_risk: [{ currency: 'EUR', amount: 910.5 }] },
        rows: [
          {
            ...{ table: 'line_items', id: 5, name: 'Boots, sport readers' },
            text: 'Behind by 16.9% today: 4,237 delivered or reserved of 5,100 due by now',
            ...{ at_risk: 760.5, currency: 'EUR', ends_at: '2026-10-31T00:00:00.000Z' },
            remedy: { change: 'longer', words: 'run 7 days longer', p50: 24_300, fields: { end_date: '2026-11-06' } },
          },
        ],
      },
    ],
    ended: [
      { line_item_id: 4, name: 'Boots, summer', ended_at: '2026-10-14T00:00:00.000Z', impressions: 200_000, spend: 900, currency: 'EUR' },
    ],
    records: { publishers: 2, placements: 12, campaigns: 40, line_items: 96, creatives: 131 },
    seen: { placement: 'article-top', impression: true },
    health: { replicas: 3, counters: true, catalog_version: 84, catalog_age_seconds: 12 },
  },
);
export type Attention = s.Shape<typeof ATTENTION>;
/** Groups with any, in the order of ATTENTION_KINDS; `rows` has the first of `total`, of line items those with the most at risk. */
export type AttentionGroup = Attention['groups'][number];
/** One thing to do: what it is about, why, and the change that mends it where one is known. */
export type AttentionRow = AttentionGroup['rows'][number];
/** A line item whose flight ended in the last three days. */
export type EndedItem = Attention['ended'][number];
