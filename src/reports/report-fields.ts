import type { RollUpSource } from '../events/postgres/roll-ups.ts';
import { PROVISIONAL } from '../ledger/hit.ts';
import { dimensionOf, type Dimension, type DimensionName } from './report-dimensions.ts';

const IS_PROVISIONAL = `r.reason = '${PROVISIONAL}'`;
const IS_FILTERED = `r.reason not in ('', '${PROVISIONAL}')`;

/** What is summed, each with its SQL over rows `r` of a roll-up. All are integers of 64 bits. */
export const SUMS = {
  requests: { of: 'requests', sql: 'sum_bigint(r.requests)' },
  unfilled: { of: 'requests', sql: `sum_bigint(r.requests) filter (where r.reason <> '')` },
  serves: { of: 'hits', sql: 'sum_bigint(r.serves)' },
  impressions: { of: 'hits', sql: `sum_bigint(r.impressions) filter (where r.reason = '')` },
  filtered_impressions: { of: 'hits', sql: `sum_bigint(r.impressions) filter (where ${IS_FILTERED})` },
  provisional_impressions: { of: 'hits', sql: `sum_bigint(r.impressions) filter (where ${IS_PROVISIONAL})` },
  viewable: { of: 'hits', sql: `sum_bigint(r.viewable) filter (where r.reason = '')` },
  clicks: { of: 'hits', sql: `sum_bigint(r.clicks) filter (where r.reason = '')` },
  filtered_clicks: { of: 'hits', sql: `sum_bigint(r.clicks) filter (where ${IS_FILTERED})` },
  provisional_clicks: { of: 'hits', sql: `sum_bigint(r.clicks) filter (where ${IS_PROVISIONAL})` },
  events: { of: 'hits', sql: `sum_bigint(r.events) filter (where r.reason = '')` },
  spend: { of: 'hits', sql: 'sum_bigint(r.spend_micros)' },
  bid_requests: { of: 'bids', sql: 'sum_bigint(r.impressions)' },
  timeouts: { of: 'bids', sql: 'sum_bigint(r.timeouts)' },
  bids: { of: 'bids', sql: 'sum_bigint(r.bids)' },
  bid_refusals: { of: 'bids', sql: 'sum_bigint(r.refused)' },
  wins: { of: 'bids', sql: 'sum_bigint(r.wins)' },
} as const satisfies Readonly<Record<string, { readonly of: RollUpSource; readonly sql: string }>>;

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
    only: ['month', 'day', 'hour', 'publisher', 'advertiser', 'campaign', 'line_item', 'creative'],
  },
  gross_impressions: {
    label: 'Gross impressions',
    kind: 'count',
    help: 'Filtered, provisional and net',
    sums: ['impressions', 'filtered_impressions', 'provisional_impressions'],
    sql: 's.impressions + s.filtered_impressions + s.provisional_impressions',
  },
  filtered_impressions: {
    label: 'Filtered impressions',
    kind: 'count',
    help: 'Invalid traffic: neither counted nor billed',
    sums: ['filtered_impressions'],
    sql: 's.filtered_impressions',
  },
  provisional_impressions: {
    label: 'Provisional impressions',
    kind: 'count',
    help: 'Under judgement: billed or filtered some minutes later',
    sums: ['provisional_impressions'],
    sql: 's.provisional_impressions',
  },
  impressions: { label: 'Impressions', kind: 'count', help: 'Net', sums: ['impressions'], sql: 's.impressions' },
  viewable: { label: 'Viewable', kind: 'count', help: 'Impressions that the SDK has seen in view', sums: ['viewable'], sql: 's.viewable' },
  gross_clicks: {
    label: 'Gross clicks',
    kind: 'count',
    help: 'Filtered, provisional and net',
    sums: ['clicks', 'filtered_clicks', 'provisional_clicks'],
    sql: 's.clicks + s.filtered_clicks + s.provisional_clicks',
  },
  filtered_clicks: {
    label: 'Filtered clicks',
    kind: 'count',
    help: 'Invalid traffic: neither counted nor billed',
    sums: ['filtered_clicks'],
    sql: 's.filtered_clicks',
  },
  provisional_clicks: {
    label: 'Provisional clicks',
    kind: 'count',
    help: 'Under judgement: billed or filtered some minutes later',
    sums: ['provisional_clicks'],
    sql: 's.provisional_clicks',
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
    sql: 'coalesce(round(s.spend * 1000.0 / nullif(s.impressions, 0)) / 1e6, 0)::float8',
  },
  bid_requests: {
    label: 'Bid requests',
    kind: 'count',
    help: 'Impressions that bidders were offered, once for each bidder',
    sums: ['bid_requests'],
    sql: 's.bid_requests',
  },
  bids: { label: 'Bids', kind: 'count', help: 'Valid ones', sums: ['bids'], sql: 's.bids' },
  bid_rate: {
    label: 'Bid rate',
    kind: 'share',
    help: 'Bids as a share of bid requests',
    sums: ['bids', 'bid_requests'],
    sql: share('s.bids', 's.bid_requests'),
  },
  bid_refusals: {
    label: 'Refused bids',
    kind: 'count',
    help: 'Bids that break a rule; the reason says which',
    sums: ['bid_refusals'],
    sql: 's.bid_refusals',
  },
  timeouts: { label: 'Time-outs', kind: 'count', help: 'Bid requests without an answer in time', sums: ['timeouts'], sql: 's.timeouts' },
  wins: { label: 'Wins', kind: 'count', help: 'Bids that were served', sums: ['wins'], sql: 's.wins' },
  win_rate: { label: 'Win rate', kind: 'share', help: 'Wins as a share of bids', sums: ['wins', 'bids'], sql: share('s.wins', 's.bids') },
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
