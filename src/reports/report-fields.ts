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

const summed = (name: SumName, label: string, help: string) => ({ label, kind: 'count', help, sums: [name], sql: `s.${name}` }) as const;
const played = (name: SumName, label: string, help = 'Videos and sound ads that played so far') =>
  ({ ...summed(name, label, help), without: { error_code: NO_ERRORS } }) as const;
const rate = (part: SumName, whole: SumName, label: string, help: string) =>
  ({ label, kind: 'share', help, sums: [part, whole], sql: share(`s.${part}`, `s.${whole}`) }) as const;
const UNDER_JUDGEMENT = 'Under judgement: billed or filtered some minutes later';
const INVALID = 'Invalid traffic: neither counted nor billed';

/** Every metric of reports, in the order of the answer's columns. Figures without a prefix are net. */
export const METRICS = {
  requests: summed('requests', 'Requests', 'Impressions that pages asked for'),
  unfilled: summed('unfilled', 'Unfilled', 'Requests without an ad'),
  fill_rate: {
    label: 'Fill rate',
    kind: 'share',
    help: 'Requests with an ad, as a share of all',
    sums: ['requests', 'unfilled'],
    sql: share('s.requests - s.unfilled', 's.requests'),
  },
  serves: {
    ...summed('serves', 'Serves', 'Ads that were selected, whether or not they were rendered'),
    without: { reason: 'an ad that was selected has none: see unfilled', region: 'regions are kept of hits only' },
  },
  gross_impressions: {
    label: 'Gross impressions',
    kind: 'count',
    help: 'Filtered, provisional and net',
    sums: ['impressions', 'filtered_impressions', 'provisional_impressions'],
    sql: 's.impressions + s.filtered_impressions + s.provisional_impressions',
  },
  filtered_impressions: summed('filtered_impressions', 'Filtered impressions', INVALID),
  provisional_impressions: summed('provisional_impressions', 'Provisional impressions', UNDER_JUDGEMENT),
  impressions: summed('impressions', 'Impressions', 'Net'),
  viewable: summed('viewable', 'Viewable', 'Impressions that were in view: half of a video for two seconds, of another ad for one'),
  gross_clicks: {
    label: 'Gross clicks',
    kind: 'count',
    help: 'Filtered, provisional and net',
    sums: ['clicks', 'filtered_clicks', 'provisional_clicks'],
    sql: 's.clicks + s.filtered_clicks + s.provisional_clicks',
  },
  filtered_clicks: summed('filtered_clicks', 'Filtered clicks', INVALID),
  provisional_clicks: summed('provisional_clicks', 'Provisional clicks', UNDER_JUDGEMENT),
  clicks: summed('clicks', 'Clicks', 'Net'),
  ctr: rate('clicks', 'impressions', 'CTR', 'Clicks as a share of impressions'),
  events: summed('events', 'Events', 'Custom events; viewable ones, and what players report, apart'),
  starts: played('starts', 'Starts', 'Videos and sound ads that began to play'),
  first_quartiles: played('first_quartiles', 'Played to 25%'),
  midpoints: played('midpoints', 'Played to 50%'),
  third_quartiles: played('third_quartiles', 'Played to 75%'),
  completes: played('completes', 'Completes', 'Videos and sound ads that played to their end'),
  completion_rate: {
    ...rate('completes', 'starts', 'Completion rate', 'Completes as a share of starts'),
    without: { error_code: NO_ERRORS },
  },
  skips: played('skips', 'Skips', 'Videos that the visitor skipped'),
  video_errors: summed('video_errors', 'Video errors', 'What players reported that they could not play; the error code says why'),
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
  bid_requests: summed('bid_requests', 'Bid requests', 'Impressions that bidders were offered, once for each bidder'),
  bids: summed('bids', 'Bids', 'Valid ones'),
  bid_rate: rate('bids', 'bid_requests', 'Bid rate', 'Bids as a share of bid requests'),
  bid_refusals: summed('bid_refusals', 'Refused bids', 'Bids that break a rule; the reason says which'),
  timeouts: summed('timeouts', 'Time-outs', 'Bid requests without an answer in time'),
  wins: summed('wins', 'Wins', 'Bids that were served'),
  win_rate: rate('wins', 'bids', 'Win rate', 'Wins as a share of bids'),
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
