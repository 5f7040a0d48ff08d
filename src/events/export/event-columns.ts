import { dateOfDay } from '../../base/utc-day.ts';
import { sizeText } from '../../ledger/ad-size.ts';
import { PROVISIONAL } from '../../ledger/hit.ts';
import type { StoredEvent } from '../postgres/stored-event.ts';

/** The value of a column type in a sink. `date` is YYYY-MM-DD; a `long` is a safe integer. */
export interface ColumnValues {
  readonly date: string;
  readonly timestamp: Date;
  readonly text: string;
  readonly integer: number;
  readonly long: number;
}

/** How a value is written: in CSV as text, in Parquet as a value of this type. */
export type EventColumnType = keyof ColumnValues;

/** What is stored with an event that the event does not say. */
export interface EventContext {
  /** Of the publisher. */
  readonly zone: string;
  /** Who pays for the campaign now; 0: not known. */
  readonly advertiserId: number;
}

export interface EventColumn {
  readonly type: EventColumnType;
  /** Over a row of events. */
  readonly sql: string;
  /** The same of an event that is not stored yet; what `sql` says is empty may be '' here. A timestamp is in epoch ms. */
  readonly of: (event: StoredEvent, context: EventContext) => string | number | null | undefined;
  readonly isNullable: boolean;
  /** What it is, in docs/reports.md. */
  readonly words: string;
  /** Written only when it is asked for. */
  readonly onRequest?: boolean;
}

/** What each column of a sink has. */
export type DocumentedColumn = Pick<EventColumn, 'type' | 'isNullable' | 'words'>;

/** A row with the values of these columns. */
export type RowOf<Columns extends Readonly<Record<string, DocumentedColumn>>> = {
  readonly [Name in keyof Columns]: ColumnValues[Columns[Name]['type']] | (Columns[Name]['isNullable'] extends true ? null : never);
};

/**
 * Every column of a raw export, in the order of the file. The docs, OpenAPI, CSV heads and the Parquet
 * schema are made from this table. Signals of senders (network, user agent, origin) are not among them:
 * they are kept to filter a day again, and for nothing else.
 */
export const EVENT_COLUMNS = {
  day: {
    ...{ type: 'date', sql: `to_char(day, 'YYYY-MM-DD')`, of: ({ hit }) => dateOfDay(hit.ad.day), isNullable: false },
    words: 'Day of the publisher on which the ad was selected',
  },
  counted_at: { type: 'timestamp', sql: 'at', of: ({ atMs }) => atMs, isNullable: false, words: 'When the hit was counted, UTC' },
  time_zone: {
    type: 'text',
    sql: 'zone',
    of: (_, { zone }) => zone,
    isNullable: false,
    words: 'Zone of the publisher then: the day of reports is that of `counted_at` in it',
  },
  token_id: { type: 'text', sql: 'jti', of: ({ hit }) => hit.ad.tokenId, isNullable: false, words: 'The bid: one per ad shown' },
  kind: { type: 'text', sql: 'kind', of: ({ hit }) => hit.kind, isNullable: false, words: '`impression`, `click` or `event`' },
  event_type: {
    type: 'text',
    sql: `nullif(event_type, '')`,
    of: ({ hit }) => hit.eventType,
    isNullable: true,
    words: 'Of an event: `viewable`, what a player reports, or a custom type',
  },
  reason: {
    ...{ type: 'text', sql: `nullif(replace(invalid_reason, '${PROVISIONAL}', 'activity'), '')`, isNullable: true },
    of: ({ reason }) => (reason === PROVISIONAL ? 'activity' : reason),
    words: 'Why the hit is filtered, or is under judgement; null: it counts',
  },
  state: {
    ...{ type: 'text', sql: `case invalid_reason when '' then 'net' when '${PROVISIONAL}' then '${PROVISIONAL}' else 'filtered' end` },
    of: ({ reason }) => (reason === '' ? 'net' : reason === PROVISIONAL ? PROVISIONAL : 'filtered'),
    ...{ isNullable: false, words: '`net`, `filtered`, or `provisional`: under judgement' },
  },
  billed_micros: {
    type: 'long',
    sql: 'billed_micros',
    of: ({ billedMicros }) => billedMicros,
    isNullable: false,
    words: "What it was billed, in millionths of a unit of the publisher's currency",
  },
  publisher_id: { type: 'integer', sql: 'publisher_id', of: ({ hit }) => hit.ad.publisherId, isNullable: false, words: 'Publisher' },
  campaign_id: { type: 'integer', sql: 'campaign_id', of: ({ hit }) => hit.ad.campaignId, isNullable: false, words: 'Campaign' },
  line_item_id: { type: 'integer', sql: 'line_item_id', of: ({ hit }) => hit.ad.lineItemId, isNullable: false, words: 'Line item' },
  creative_id: { type: 'integer', sql: 'creative_id', of: ({ hit }) => hit.ad.creativeId, isNullable: false, words: 'Creative' },
  placement_id: { type: 'text', sql: 'placement_id', of: ({ hit }) => hit.ad.placementId, isNullable: false, words: 'Placement' },
  size: {
    ...{ type: 'text', sql: `nullif(size, '')`, of: ({ hit }) => sizeText(hit.ad.size), isNullable: true },
    words: 'At which the ad was shown, `320x50`; null: not known',
  },
  advertiser_id: {
    ...{ type: 'integer', sql: 'case when advertiser_id > 0 then advertiser_id end', isNullable: true },
    of: (_, { advertiserId }) => (advertiserId > 0 ? advertiserId : null),
    words: 'Who paid for the campaign when the hit was stored; null: not known',
  },
  country: { type: 'text', sql: 'country', of: ({ hit }) => hit.country, isNullable: true, words: 'ISO 3166-1; null: unknown' },
  region: {
    ...{ type: 'text', sql: 'region', of: ({ hit }) => hit.region, isNullable: true },
    words: 'ISO 3166-2; null: unknown, or the user may not be measured',
  },
  device: { type: 'text', sql: 'device', of: ({ hit }) => hit.device, isNullable: true, words: 'As in targeting; null: unknown' },
  browser: {
    ...{ type: 'text', sql: 'browser', of: ({ hit }) => hit.browser, isNullable: true },
    words: 'Family; null: unknown, or the user may not be measured',
  },
  event_id: {
    ...{
      type: 'text',
      sql: `concat_ws('/', jti, kind, nullif(event_type, ''), case when screened then 'screened' end)`,
      isNullable: false,
    },
    of: ({ hit: { ad, kind, eventType, invalidReason } }) =>
      [ad.tokenId, kind, eventType, invalidReason && 'screened'].filter((part) => part !== '').join('/'),
    words: 'Unique to the hit: of rows with the same id, the one with the highest `version` counts, once',
  },
  version: {
    ...{ type: 'integer', sql: `case invalid_reason when '${PROVISIONAL}' then 0 else 1 end`, isNullable: false },
    of: ({ reason }) => (reason === PROVISIONAL ? 0 : 1),
    words: '0 under judgement, 1 final',
  },
  user_hash: {
    ...{ type: 'text', sql: `nullif(user_hash, '')`, isNullable: true, onRequest: true },
    of: ({ hit }) => hit.ad.userHash,
    words: 'Keyed hash of `user.id`, only when `columns` names it; null: none, the user may not be measured, or was forgotten',
  },
} as const satisfies Readonly<Record<string, EventColumn>>;

export type EventColumnName = keyof typeof EVENT_COLUMNS;
export const EVENT_COLUMN_NAMES = Object.keys(EVENT_COLUMNS) as readonly EventColumnName[];
export const eventColumn = (name: EventColumnName): EventColumn => EVENT_COLUMNS[name];

/** These columns, with their names, as files have them. */
export const eventColumns = (names: readonly EventColumnName[]) => names.map((name) => ({ name, ...eventColumn(name) }));

/** What is exported when no columns are named: all that need not be asked for. */
export const DEFAULT_EVENT_COLUMNS = EVENT_COLUMN_NAMES.filter((name) => eventColumn(name).onRequest !== true);

/** The columns of a list of names separated by commas, in the order of the file; undefined: one is unknown. */
export const readEventColumns = (text: string): readonly EventColumnName[] | undefined => {
  const named = text.split(',');
  if (named.some((name) => !EVENT_COLUMN_NAMES.some((known) => known === name))) return undefined;
  return EVENT_COLUMN_NAMES.filter((name) => named.includes(name));
};
