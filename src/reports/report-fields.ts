import { dimensionOf, type Dimension, type DimensionName } from './report-dimensions.ts';
import type { SumName } from './report-sums.ts';

export interface Metric {
  readonly label: string;
  readonly kind: 'count' | 'share' | 'money';
  /** What it means, where the label does not say it. */
  readonly help: string;
  readonly sums: readonly SumName[];
  /** Over a row `s` of sums. */
  readonly sql: string;
  /** When it is null. */
  readonly absent?: string;
  /** Dimensions of its roll-ups that it does not have, each with the reason. */
  readonly without?: Partial<Readonly<Record<DimensionName, string>>>;
}

export const NO_ERRORS = 'an error has its code, what was played has none: see video_errors';

const share = (part: string, whole: string): string => `coalesce((${part})::float8 / nullif(${whole}, 0), 0)`;

const forecast = (of: 'forecast' | 'request_forecast', sql: string) =>
  ({ sql: `case when s.${of}s > 0 then ${sql} end`, absent: 'no forecast was kept' }) as const;
/** What came to nothing cannot be divided by. */
const errorOf = (of: 'forecast' | 'request_forecast'): string => `s.${of}_off::float8 / nullif(s.${of}_came, 0)`;

const played = <Name extends 'starts' | 'first_quartiles' | 'midpoints' | 'third_quartiles' | 'completes' | 'skips'>(name: Name) =>
  ({
    kind: 'count',
    help: 'Videos and sound ads that played so far',
    sums: [name],
    sql: `s.${name}`,
    without: { error_code: NO_ERRORS },
  }) as const;

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
    without: { reason: 'an ad that was selected has none: see unfilled', region: 'regions are kept of hits only' },
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
  viewable: {
    label: 'Viewable',
    kind: 'count',
    help: 'Impressions that were in view: half of a video for two seconds, of another ad for one',
    sums: ['viewable'],
    sql: 's.viewable',
  },
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
  events: {
    label: 'Events',
    kind: 'count',
    help: 'Custom events; viewable ones, and what players report, apart',
    sums: ['events'],
    sql: 's.events',
  },
  starts: { label: 'Starts', ...played('starts'), help: 'Videos and sound ads that began to play' },
  first_quartiles: { label: 'Played to 25%', ...played('first_quartiles') },
  midpoints: { label: 'Played to 50%', ...played('midpoints') },
  third_quartiles: { label: 'Played to 75%', ...played('third_quartiles') },
  completes: { label: 'Completes', ...played('completes'), help: 'Videos and sound ads that played to their end' },
  completion_rate: {
    label: 'Completion rate',
    kind: 'share',
    help: 'Completes as a share of starts',
    sums: ['completes', 'starts'],
    sql: share('s.completes', 's.starts'),
    without: { error_code: NO_ERRORS },
  },
  skips: { label: 'Skips', ...played('skips'), help: 'Videos that the visitor skipped' },
  video_errors: {
    label: 'Video errors',
    kind: 'count',
    help: 'What players reported that they could not play; the error code says why',
    sums: ['video_errors'],
    sql: 's.video_errors',
  },
  revenue: {
    label: 'Revenue',
    kind: 'money',
    help: 'What was billed, and the fees of Flat line items by day',
    sums: ['spend'],
    sql: '(s.spend / 1e6)::float8',
  },
  ecpm: {
    label: 'eCPM',
    kind: 'money',
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
  forecast: {
    label: 'Forecast',
    kind: 'count',
    help: 'Impressions that line items were expected to deliver, a week before',
    sums: ['forecasts', 'forecast'],
    ...forecast('forecast', 's.forecast'),
  },
  forecast_error: {
    label: 'Forecast error',
    kind: 'share',
    help: 'How far that was off, of each line item and day, as a share of what they delivered',
    sums: ['forecasts', 'forecast_off', 'forecast_came'],
    ...forecast('forecast', errorOf('forecast')),
  },
  request_forecast: {
    label: 'Request forecast',
    kind: 'count',
    help: 'Impressions that pages were expected to ask for, a week before',
    sums: ['request_forecasts', 'request_forecast'],
    ...forecast('request_forecast', 's.request_forecast'),
  },
  request_forecast_error: {
    label: 'Request forecast error',
    kind: 'share',
    help: 'How far that was off, of each placement and day, as a share of what pages asked for',
    sums: ['request_forecasts', 'request_forecast_off', 'request_forecast_came'],
    ...forecast('request_forecast', errorOf('request_forecast')),
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
