import { PROVISIONAL } from '../../ledger/hit.ts';

/** How a value is written: in CSV as text, in Parquet as a value of this type. */
export type EventColumnType = 'date' | 'timestamp' | 'text' | 'integer' | 'long';

export interface EventColumn {
  readonly type: EventColumnType;
  /** Over a row of events. */
  readonly sql: string;
  readonly isNullable: boolean;
  /** What it is, in docs/reports.md. */
  readonly words: string;
  /** Written only when it is asked for. */
  readonly onRequest?: boolean;
}

/**
 * Every column of a raw export, in the order of the file. The docs, OpenAPI, CSV heads and the Parquet
 * schema are made from this table. Signals of senders (network, user agent, origin) are not among them:
 * they are kept to filter a day again, and for nothing else.
 */
export const EVENT_COLUMNS = {
  day: { type: 'date', sql: `to_char(day, 'YYYY-MM-DD')`, isNullable: false, words: 'Day of the publisher on which the ad was selected' },
  counted_at: { type: 'timestamp', sql: 'at', isNullable: false, words: 'When the hit was counted, UTC' },
  time_zone: {
    type: 'text',
    sql: 'zone',
    isNullable: false,
    words: 'Zone of the publisher then: the day of reports is that of `counted_at` in it',
  },
  token_id: { type: 'text', sql: 'jti', isNullable: false, words: 'The bid: one per ad shown' },
  kind: { type: 'text', sql: 'kind', isNullable: false, words: '`impression`, `click` or `event`' },
  event_type: {
    type: 'text',
    sql: `nullif(event_type, '')`,
    isNullable: true,
    words: 'Of an event: `viewable`, what a player reports, or a custom type',
  },
  reason: {
    ...{ type: 'text', sql: `nullif(replace(invalid_reason, '${PROVISIONAL}', 'activity'), '')`, isNullable: true },
    words: 'Why the hit is filtered, or is under judgement; null: it counts',
  },
  state: {
    ...{ type: 'text', sql: `case invalid_reason when '' then 'net' when '${PROVISIONAL}' then '${PROVISIONAL}' else 'filtered' end` },
    ...{ isNullable: false, words: '`net`, `filtered`, or `provisional`: under judgement' },
  },
  billed_micros: {
    type: 'long',
    sql: 'billed_micros',
    isNullable: false,
    words: "What it was billed, in millionths of a unit of the publisher's currency",
  },
  publisher_id: { type: 'integer', sql: 'publisher_id', isNullable: false, words: 'Publisher' },
  campaign_id: { type: 'integer', sql: 'campaign_id', isNullable: false, words: 'Campaign' },
  line_item_id: { type: 'integer', sql: 'line_item_id', isNullable: false, words: 'Line item' },
  creative_id: { type: 'integer', sql: 'creative_id', isNullable: false, words: 'Creative' },
  placement_id: { type: 'text', sql: 'placement_id', isNullable: false, words: 'Placement' },
  size: { type: 'text', sql: `nullif(size, '')`, isNullable: true, words: 'At which the ad was shown, `320x50`; null: not known' },
  advertiser_id: {
    ...{ type: 'integer', sql: 'case when advertiser_id > 0 then advertiser_id end', isNullable: true },
    words: 'Who paid for the campaign when the hit was stored; null: not known',
  },
  country: { type: 'text', sql: 'country', isNullable: true, words: 'ISO 3166-1; null: unknown' },
  region: { type: 'text', sql: 'region', isNullable: true, words: 'ISO 3166-2; null: unknown, or the user may not be measured' },
  device: { type: 'text', sql: 'device', isNullable: true, words: 'As in targeting; null: unknown' },
  browser: { type: 'text', sql: 'browser', isNullable: true, words: 'Family; null: unknown, or the user may not be measured' },
  user_hash: {
    ...{ type: 'text', sql: `nullif(user_hash, '')`, isNullable: true, onRequest: true },
    words: 'Keyed hash of `user.id`, only when `columns` names it; null: none, the user may not be measured, or was forgotten',
  },
} as const satisfies Readonly<Record<string, EventColumn>>;

export type EventColumnName = keyof typeof EVENT_COLUMNS;
export const EVENT_COLUMN_NAMES = Object.keys(EVENT_COLUMNS) as readonly EventColumnName[];
export const eventColumn = (name: EventColumnName): EventColumn => EVENT_COLUMNS[name];

/** What is exported when no columns are named: all that need not be asked for. */
export const DEFAULT_EVENT_COLUMNS = EVENT_COLUMN_NAMES.filter((name) => eventColumn(name).onRequest !== true);

/** The columns of a list of names separated by commas, in the order of the file; undefined: one is unknown. */
export const readEventColumns = (text: string): readonly EventColumnName[] | undefined => {
  const named = text.split(',');
  if (named.some((name) => !EVENT_COLUMN_NAMES.some((known) => known === name))) return undefined;
  return EVENT_COLUMN_NAMES.filter((name) => named.includes(name));
};
