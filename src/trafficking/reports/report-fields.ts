import { isCountryCode } from '../../catalog/checks/country-codes.ts';
import type { CatalogTable } from '../../catalog/model/catalog-reading.ts';
import { DEVICES } from '../../catalog/model/entities.ts';
import { BROWSERS } from '../../context/device-detector.ts';
import { reasonNames } from '../../decision/no-bid-reason.ts';
import type { RollUpKey } from '../../events/postgres/roll-ups.ts';
import { INVALID_REASONS } from '../../ledger/hit.ts';

/** Where a dimension is read: SQL over a row `r` of a roll-up that has these keys, with these joins. */
export interface Reading {
  readonly sql: string;
  readonly needs: readonly RollUpKey[];
  readonly joins?: readonly Join[];
}

export type Join = keyof typeof JOINS;

export const JOINS = {
  campaigns: 'left join campaigns ca on ca.id = r.campaign_id',
  creatives: 'left join creatives cr on cr.id = r.creative_id',
  placements: 'left join placements pl on pl.id = r.placement_id',
} as const;

export interface Dimension {
  /** In the page and in Excel. */
  readonly label: string;
  readonly kind: 'day' | 'hour' | 'id' | 'text';
  /** In roll-ups of hits; and of requests, when they have it. */
  readonly hits: Reading;
  readonly requests?: Reading;
  /** The records that it names; the answer has their names beside the ids. */
  readonly table?: Exclude<CatalogTable, 'bidders'>;
  /** Whether a value may be a filter; undefined: filters are not for this dimension. */
  readonly accepts?: { readonly test: (value: string) => boolean; readonly detail: string };
}

const oneOf = (values: readonly string[]) => ({
  test: (value: string) => values.includes(value),
  detail: `must be one of: ${values.join(', ')}`,
});
const anId = { test: (value: string) => /^[1-9]\d{0,9}$/.test(value) && Number(value) < 2 ** 31, detail: 'must be an id' };

const column = (key: RollUpKey, sql = `r.${key}`): Reading => ({ sql, needs: [key] });
const both = (reading: Reading) => ({ hits: reading, requests: reading });

/**
 * Every dimension of reports, in the order of the answer's columns. Validation, SQL, OpenAPI, the
 * heads of CSV and Excel and the choices of the page are made from this table and METRICS.
 */
export const DIMENSIONS = {
  day: { label: 'Day', kind: 'day', ...both(column('day')) },
  hour: { label: 'Hour', kind: 'hour', ...both(column('hour')) },
  publisher: { label: 'Publisher', kind: 'id', ...both(column('publisher_id')), table: 'publishers', accepts: anId },
  advertiser: {
    label: 'Advertiser',
    kind: 'id',
    hits: { sql: 'ca.advertiser_id', needs: ['campaign_id'], joins: ['campaigns'] },
    table: 'advertisers',
    accepts: anId,
  },
  campaign: { label: 'Campaign', kind: 'id', hits: column('campaign_id'), table: 'campaigns', accepts: anId },
  line_item: { label: 'Line item', kind: 'id', hits: column('line_item_id'), table: 'line_items', accepts: anId },
  creative: { label: 'Creative', kind: 'id', hits: column('creative_id', 'nullif(r.creative_id, 0)'), table: 'creatives', accepts: anId },
  placement: {
    label: 'Placement',
    kind: 'text',
    ...both(column('placement_id', `nullif(r.placement_id, '')`)),
    table: 'placements',
    accepts: { test: (value) => value.length <= 128 && !value.includes('\0'), detail: 'must be the id of a placement' },
  },
  size: {
    label: 'Size',
    kind: 'text',
    hits: {
      sql: `coalesce(cr.width || 'x' || cr.height, pl.width || 'x' || pl.height)`,
      needs: ['creative_id', 'placement_id'],
      joins: ['creatives', 'placements'],
    },
    requests: { sql: `pl.width || 'x' || pl.height`, needs: ['placement_id'], joins: ['placements'] },
    accepts: { test: (value) => /^\d{1,5}x\d{1,5}$/.test(value), detail: 'must be a width and a height, such as 300x250' },
  },
  country: {
    label: 'Country',
    kind: 'text',
    hits: column('country', `nullif(r.country, '')`),
    accepts: { test: isCountryCode, detail: 'must be an ISO 3166-1 alpha-2 country code' },
  },
  region: {
    label: 'Region',
    kind: 'text',
    hits: column('region', `nullif(r.region, '')`),
    accepts: { test: (value) => value.length <= 64 && !value.includes('\0'), detail: 'must be an ISO 3166-2 code, such as US-CA' },
  },
  device: { label: 'Device', kind: 'text', hits: column('device', `nullif(r.device, '')`), accepts: oneOf(DEVICES) },
  browser: { label: 'Browser', kind: 'text', hits: column('browser', `nullif(r.browser, '')`), accepts: oneOf(BROWSERS) },
  reason: {
    label: 'Reason',
    kind: 'text',
    ...both(column('reason', `nullif(r.reason, '')`)),
    accepts: oneOf([...INVALID_REASONS, ...reasonNames]),
  },
} as const satisfies Readonly<Record<string, Dimension>>;

export type DimensionName = keyof typeof DIMENSIONS;
export const DIMENSION_NAMES = Object.keys(DIMENSIONS) as readonly DimensionName[];
export const dimensionOf = (name: DimensionName): Dimension => DIMENSIONS[name];

/** What is summed, each with its SQL over rows `r` of a roll-up of hits or of requests. */
export const SUMS = {
  requests: { of: 'requests', sql: 'sum(r.requests)' },
  unfilled: { of: 'requests', sql: `sum(r.requests) filter (where r.reason <> '')` },
  serves: { of: 'hits', sql: 'sum(r.serves)' },
  impressions: { of: 'hits', sql: `sum(r.impressions) filter (where r.reason = '')` },
  filtered_impressions: { of: 'hits', sql: `sum(r.impressions) filter (where r.reason <> '')` },
  viewable: { of: 'hits', sql: `sum(r.viewable) filter (where r.reason = '')` },
  clicks: { of: 'hits', sql: `sum(r.clicks) filter (where r.reason = '')` },
  filtered_clicks: { of: 'hits', sql: `sum(r.clicks) filter (where r.reason <> '')` },
  events: { of: 'hits', sql: `sum(r.events) filter (where r.reason = '')` },
  spend: { of: 'hits', sql: 'sum(r.spend_micros)' },
} as const;

export type SumName = keyof typeof SUMS;

export interface Metric {
  readonly label: string;
  readonly kind: 'count' | 'share' | 'usd';
  /** What it means, where the label does not say it. */
  readonly help: string;
  readonly sums: readonly SumName[];
  /** Over a row `s` of sums. */
  readonly sql: string;
  /** The only dimensions that it has; undefined: all that its roll-ups have. */
  readonly only?: readonly DimensionName[];
}

const share = (part: string, whole: string): string => `coalesce((${part})::float8 / nullif(${whole}, 0), 0)`;

/** Every metric of reports, in the order of the answer's columns. Figures without a prefix are net. */
export const METRICS = {
  requests: { label: 'Requests', kind: 'count', help: 'Impressions that pages asked for', sums: ['requests'], sql: 's.requests' },
  unfilled: { label: 'Unfilled', kind: 'count', help: 'Requests without an ad', sums: ['unfilled'], sql: 's.unfilled' },
  fill_rate: {
    label: 'Fill rate',
    kind: 'share',
    help: 'Requests with an ad, as a share of all',
    sums: ['requests', 'unfilled'],
    sql: share('s.requests - s.unfilled', 's.requests'),
  },
  serves: {
    label: 'Serves',
    kind: 'count',
    help: 'Ads that were selected, whether or not they were rendered',
    sums: ['serves'],
    sql: 's.serves',
    only: ['day', 'hour', 'publisher', 'advertiser', 'campaign', 'line_item', 'creative'],
  },
  gross_impressions: {
    label: 'Gross impressions',
    kind: 'count',
    help: 'Filtered and net',
    sums: ['impressions', 'filtered_impressions'],
    sql: 's.impressions + s.filtered_impressions',
  },
  filtered_impressions: {
    label: 'Filtered impressions',
    kind: 'count',
    help: 'Invalid traffic: neither counted nor billed',
    sums: ['filtered_impressions'],
    sql: 's.filtered_impressions',
  },
  impressions: { label: 'Impressions', kind: 'count', help: 'Net', sums: ['impressions'], sql: 's.impressions' },
  viewable: { label: 'Viewable', kind: 'count', help: 'Impressions that the SDK has seen in view', sums: ['viewable'], sql: 's.viewable' },
  gross_clicks: {
    label: 'Gross clicks',
    kind: 'count',
    help: 'Filtered and net',
    sums: ['clicks', 'filtered_clicks'],
    sql: 's.clicks + s.filtered_clicks',
  },
  filtered_clicks: {
    label: 'Filtered clicks',
    kind: 'count',
    help: 'Invalid traffic: neither counted nor billed',
    sums: ['filtered_clicks'],
    sql: 's.filtered_clicks',
  },
  clicks: { label: 'Clicks', kind: 'count', help: 'Net', sums: ['clicks'], sql: 's.clicks' },
  ctr: {
    label: 'CTR',
    kind: 'share',
    help: 'Clicks as a share of impressions',
    sums: ['clicks', 'impressions'],
    sql: share('s.clicks', 's.impressions'),
  },
  events: { label: 'Events', kind: 'count', help: 'Custom events; viewable ones apart', sums: ['events'], sql: 's.events' },
  revenue: {
    label: 'Revenue',
    kind: 'usd',
    help: 'What was billed, and the fees of Flat line items by day',
    sums: ['spend'],
    sql: '(s.spend / 1e6)::float8',
  },
  ecpm: {
    label: 'eCPM',
    kind: 'usd',
    help: 'Revenue per thousand impressions',
    sums: ['spend', 'impressions'],
    sql: 'coalesce(round(s.spend * 1000 / nullif(s.impressions, 0)) / 1e6, 0)::float8',
  },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof METRICS;
export const METRIC_NAMES = Object.keys(METRICS) as readonly MetricName[];
export const metricOf = (name: MetricName): Metric => METRICS[name];

/** A column of the answer, of CSV and of Excel. */
export interface ReportColumn {
  readonly name: string;
  readonly label: string;
  readonly kind: Dimension['kind'] | Metric['kind'] | 'name';
}

/** The columns of a report: dimensions, with the names of the records that they refer to, then metrics. */
export const columnsOf = (groupBy: readonly DimensionName[], metrics: readonly MetricName[]): readonly ReportColumn[] => [
  ...groupBy.flatMap((name): readonly ReportColumn[] => {
    const { label, kind, table } = dimensionOf(name);
    if (kind !== 'id') return [{ name: table ? `${name}_id` : name, label, kind }];
    return [
      { name: `${name}_id`, label: `${label} id`, kind },
      { name, label, kind: 'name' },
    ];
  }),
  ...metrics.map((name): ReportColumn => ({ name, label: metricOf(name).label, kind: metricOf(name).kind })),
];
