import { readId } from '../api/parameters.ts';
import { isCountryCode } from '../catalog/checks/country-codes.ts';
import { BID_OUTCOME_NAMES } from '../bidders/bid-outcome.ts';
import type { EntityTable } from '../catalog/entities/entities.ts';
import { VIDEO_ERROR_CODES } from '../catalog/model/video-events.ts';
import { BROWSERS, DEVICES } from '../catalog/model/choices.ts';
import { LINE_ITEM_CLASSES } from '../catalog/model/line-item-classes.ts';
import { reasonNames } from '../decision/no-bid-reason.ts';
import { JOIN_FIRST_PAYER, PAYER } from '../events/postgres/payers.ts';
import type { RollUpKey, RollUpSource } from '../events/postgres/roll-ups.ts';
import { INVALID_REASONS, PROVISIONAL } from '../ledger/hit.ts';

/** Where a dimension is read: SQL over a row `r` of a roll-up that has these keys, with these joins. */
export interface Reading {
  readonly sql: string;
  /** What rows are grouped by, where `sql` follows from it: to group by a column is faster. */
  readonly by?: string;
  readonly needs: readonly RollUpKey[];
  readonly joins?: readonly Join[];
  /** Its values are those of this key. */
  readonly isKey?: RollUpKey;
}

export type Join = keyof typeof JOINS;

export const JOINS = {
  payers: JOIN_FIRST_PAYER,
  creatives: 'left join creatives cr on cr.id = r.creative_id',
  line_items: 'left join line_items li on li.id = r.line_item_id',
  placements: 'left join placements pl on pl.id = r.placement_id',
  publishers: 'left join publishers pu on pu.id = r.publisher_id',
} as const;

export interface Dimension {
  /** In the page and in Excel. */
  readonly label: string;
  readonly kind: 'day' | 'hour' | 'month' | 'id' | 'text';
  /** What a report of the past has: what was the case when it was counted, or the record's name today. */
  readonly past: string;
  /** In the roll-ups of each source that has it. */
  readonly in: Partial<Readonly<Record<RollUpSource, Reading>>>;
  /** The records that it names; the answer has their names beside the ids. */
  readonly table?: EntityTable;
  /** Values of a filter may have commas: they are repeated, not separated by commas. */
  readonly unsplit?: true;
  /** Whether a value may be a filter; undefined: filters are not for this dimension. */
  readonly accepts?: { readonly test: (value: string) => boolean; readonly detail: string };
}

const oneOf = (values: readonly string[]) => ({
  test: (value: string) => values.includes(value),
  detail: `must be one of: ${values.join(', ')}`,
});
const anId = { test: (value: string) => readId(value) !== undefined, detail: 'must be an id' };

const column = (key: RollUpKey, sql = `r.${key}`): Reading => ({ sql, by: `r.${key}`, needs: [key], isKey: key });
const word = (key: RollUpKey): Reading => column(key, `nullif(r.${key}, '')`);
const inDelivery = (reading: Reading) => ({ in: { hits: reading, plays: reading } });
const inHits = (reading: Reading) => ({ in: { hits: reading } });
const inBids = (reading: Reading) => ({ in: { bids: reading } });
const inAsked = (reading: Reading) => ({ in: { hits: reading, requests: reading } });
const inAll = (reading: Reading) => ({ in: { hits: reading, plays: reading, requests: reading, bids: reading } });
const inDays = (reading: Reading) => ({ in: { ...inAll(reading).in, forecasts: reading, request_forecasts: reading } });
const inBooked = (reading: Reading) => ({ in: { ...inDelivery(reading).in, forecasts: reading } });
const anyText = (detail: string, maxLength: number) => ({
  test: (value: string) => value.length <= maxLength && !value.includes('\0'),
  detail,
});

const MONTH = `date_trunc('month', r.day::timestamp)`;
/** What was counted before sizes were stored has that of today. */
const OF_PLACEMENT: Reading = {
  sql: `coalesce(nullif(r.size, ''), pl.width || 'x' || pl.height)`,
  needs: ['size', 'placement_id'],
  joins: ['placements'],
};
const OF_PLACEMENT_ID = word('placement_id');
const OF_CREATIVE: Reading = {
  sql: `coalesce(nullif(r.size, ''), cr.width || 'x' || cr.height, pl.width || 'x' || pl.height)`,
  needs: ['size', 'creative_id', 'placement_id'],
  joins: ['creatives', 'placements'],
};
const STORED = { kind: 'text', past: 'as it was when it was counted' } as const;
const IN_ZONE = 'by the time zone that the publisher had then';
const named = (table: EntityTable) =>
  ({ kind: 'id', past: 'the record it was counted for, by its name of today; a deleted one by its last', table, accepts: anId }) as const;
const PAID = 'who paid then, by its name of today; who is named first also pays for what was counted before';

/**
 * Every dimension of reports, in the order of the answer's columns. Validation, SQL, OpenAPI, the
 * heads of CSV and Excel and the choices of the page are made from this table and METRICS.
 */
export const DIMENSIONS = {
  month: {
    label: 'Month',
    kind: 'month',
    past: IN_ZONE,
    ...inDays({ sql: `to_char(${MONTH}, 'YYYY-MM')`, by: MONTH, needs: ['day'] }),
  },
  day: { label: 'Day', kind: 'day', past: IN_ZONE, ...inDays(column('day')) },
  hour: { label: 'Hour', kind: 'hour', past: IN_ZONE, ...inAll(column('hour')) },
  publisher: { label: 'Publisher', ...named('publishers'), ...inDays(column('publisher_id')) },
  currency: {
    label: 'Currency',
    kind: 'text',
    past: 'that of its publisher, which is fixed once anything is booked',
    ...inDays({ sql: 'pu.currency', needs: ['publisher_id'], joins: ['publishers'] }),
    accepts: { test: (value: string) => /^[A-Z]{3}$/.test(value), detail: 'must be an ISO 4217 currency code, such as EUR' },
  },
  advertiser: {
    label: 'Advertiser',
    ...named('advertisers'),
    past: PAID,
    ...inDelivery({ sql: `case when ${PAYER} > 0 then ${PAYER} end`, needs: ['advertiser_id', 'campaign_id'], joins: ['payers'] }),
  },
  campaign: { label: 'Campaign', ...named('campaigns'), ...inBooked(column('campaign_id')) },
  line_item: { label: 'Line item', ...named('line_items'), ...inBooked(column('line_item_id')) },
  class: {
    label: 'Class',
    kind: 'text',
    past: 'the class that its line item has today',
    ...inDelivery({ sql: 'li.class', needs: ['line_item_id'], joins: ['line_items'] }),
    accepts: oneOf(LINE_ITEM_CLASSES),
  },
  value_type: {
    label: 'Value',
    kind: 'text',
    past: 'what its line item is today',
    ...inHits({
      sql: `case when li.make_good_for is not null then 'make_good' when li.added_value then 'added_value' else 'paid' end`,
      needs: ['line_item_id'],
      joins: ['line_items'],
    }),
    accepts: oneOf(['paid', 'added_value', 'make_good']),
  },
  creative: { label: 'Creative', ...named('creatives'), ...inDelivery(column('creative_id', 'nullif(r.creative_id, 0)')) },
  placement: {
    label: 'Placement',
    ...STORED,
    in: { ...inAll(OF_PLACEMENT_ID).in, request_forecasts: OF_PLACEMENT_ID },
    table: 'placements',
    unsplit: true,
    accepts: anyText('must be the id of a placement', 128),
  },
  size: {
    label: 'Size',
    ...STORED,
    in: {
      hits: OF_CREATIVE,
      plays: OF_CREATIVE,
      requests: OF_PLACEMENT,
      bids: OF_PLACEMENT,
    },
    accepts: { test: (value) => /^\d{1,5}x\d{1,5}$/.test(value), detail: 'must be a width and a height, such as 300x250' },
  },
  country: {
    label: 'Country',
    ...STORED,
    ...inAsked(word('country')),
    accepts: { test: isCountryCode, detail: 'must be an ISO 3166-1 alpha-2 country code' },
  },
  region: { label: 'Region', ...STORED, ...inHits(word('region')), accepts: anyText('must be an ISO 3166-2 code, such as US-CA', 64) },
  device: { label: 'Device', ...STORED, ...inAsked(word('device')), accepts: oneOf(DEVICES) },
  browser: { label: 'Browser', ...STORED, ...inAsked(word('browser')), accepts: oneOf(BROWSERS) },
  bidder: { label: 'Bidder', ...named('bidders'), ...inBids(column('bidder_id', 'nullif(r.bidder_id, 0)')) },
  deal: { label: 'Deal', ...STORED, ...inBids(column('deal_id')), unsplit: true, accepts: anyText('must be the id of a deal', 128) },
  error_code: { label: 'Error code', ...STORED, in: { plays: word('error_code') }, accepts: oneOf(VIDEO_ERROR_CODES) },
  reason: {
    label: 'Reason',
    ...STORED,
    // What is under judgement is judged for activity.
    ...inAll({
      sql: `case r.reason when '' then null when '${PROVISIONAL}' then 'activity' else r.reason end`,
      by: 'r.reason',
      needs: ['reason'],
    }),
    accepts: oneOf([...new Set([...INVALID_REASONS, ...reasonNames, ...BID_OUTCOME_NAMES])]),
  },
} as const satisfies Readonly<Record<string, Dimension>>;

export type DimensionName = keyof typeof DIMENSIONS;
export const DIMENSION_NAMES = Object.keys(DIMENSIONS) as readonly DimensionName[];
export const dimensionOf = (name: DimensionName): Dimension => DIMENSIONS[name];
