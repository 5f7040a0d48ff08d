import type { PLAY_MEASURES, RollUpSource } from '../events/postgres/roll-ups.ts';
import { PROVISIONAL } from '../ledger/hit.ts';

const IS_PROVISIONAL = `r.reason = '${PROVISIONAL}'`;
const IS_FILTERED = `r.reason not in ('', '${PROVISIONAL}')`;

/** What is summed, each with its SQL over rows `r` of a roll-up. All are integers of 64 bits. */
export interface Sum {
  readonly of: RollUpSource;
  readonly sql: string;
  /** The same, where the roll-up has placements: in a report that names them (or sizes), and in one that does not. */
  readonly placed?: readonly [named: string, unnamed: string];
}

/** What players report, net. */
const plays = (column: keyof typeof PLAY_MEASURES) =>
  ({ of: 'plays', sql: `sum_bigint(r.${column}) filter (where r.reason = '')` }) as const;

export const SUMS = {
  requests: { of: 'requests', sql: 'sum_bigint(r.requests)' },
  unfilled: { of: 'requests', sql: `sum_bigint(r.requests) filter (where r.reason <> '')` },
  serves: {
    of: 'hits',
    sql: 'sum_bigint(r.serves)',
    // With a placement as replicas count them, without one as the ledger does.
    placed: [`sum_bigint(r.serves) filter (where r.placement_id <> '')`, `sum_bigint(r.serves) filter (where r.placement_id = '')`],
  },
  impressions: { of: 'hits', sql: `sum_bigint(r.impressions) filter (where r.reason = '')` },
  filtered_impressions: { of: 'hits', sql: `sum_bigint(r.impressions) filter (where ${IS_FILTERED})` },
  provisional_impressions: { of: 'hits', sql: `sum_bigint(r.impressions) filter (where ${IS_PROVISIONAL})` },
  viewable: { of: 'hits', sql: `sum_bigint(r.viewable) filter (where r.reason = '')` },
  clicks: { of: 'hits', sql: `sum_bigint(r.clicks) filter (where r.reason = '')` },
  filtered_clicks: { of: 'hits', sql: `sum_bigint(r.clicks) filter (where ${IS_FILTERED})` },
  provisional_clicks: { of: 'hits', sql: `sum_bigint(r.clicks) filter (where ${IS_PROVISIONAL})` },
  events: { of: 'hits', sql: `sum_bigint(r.events) filter (where r.reason = '')` },
  spend: { of: 'hits', sql: 'sum_bigint(r.spend_micros)' },
  starts: plays('starts'),
  first_quartiles: plays('first_quartiles'),
  midpoints: plays('midpoints'),
  third_quartiles: plays('third_quartiles'),
  completes: plays('completes'),
  skips: plays('skips'),
  video_errors: plays('errors'),
  bid_requests: { of: 'bids', sql: 'sum_bigint(r.impressions)' },
  timeouts: { of: 'bids', sql: 'sum_bigint(r.timeouts)' },
  bids: { of: 'bids', sql: 'sum_bigint(r.bids)' },
  bid_refusals: { of: 'bids', sql: 'sum_bigint(r.refused)' },
  wins: { of: 'bids', sql: 'sum_bigint(r.wins)' },
  forecasts: { of: 'forecasts', sql: 'count(*)' },
  forecast: { of: 'forecasts', sql: 'sum_bigint(r.forecast)' },
  forecast_came: { of: 'forecasts', sql: 'sum_bigint(r.came)' },
  forecast_off: { of: 'forecasts', sql: 'sum_bigint(r.off)' },
  request_forecasts: { of: 'request_forecasts', sql: 'count(*)' },
  request_forecast: { of: 'request_forecasts', sql: 'sum_bigint(r.forecast)' },
  request_forecast_came: { of: 'request_forecasts', sql: 'sum_bigint(r.came)' },
  request_forecast_off: { of: 'request_forecasts', sql: 'sum_bigint(r.off)' },
} as const satisfies Readonly<Record<string, Sum>>;

export type SumName = keyof typeof SUMS;
export const sumOf = (name: SumName): Sum => SUMS[name];
