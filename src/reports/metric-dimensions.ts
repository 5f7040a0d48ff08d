import type { RollUpSource } from '../events/postgres/roll-ups.ts';
import { dimensionOf, type Dimension, type DimensionName } from './report-dimensions.ts';
import { metricOf, NO_ERRORS, type MetricName } from './report-fields.ts';
import { SUMS } from './report-sums.ts';

const OF_ADS = 'a request is counted before anything is chosen for it: see serves';
const ONCE = 'a request is counted once, whatever bidders are asked: see bid_requests';
const OF_PLAYS = 'what players report is counted by creative and placement, not by visitor';
const OF_PAGES = 'bids are counted by placement, not by visitor';
const OF_FORECASTS = 'line items are forecast by the day, not by where they run';
const OF_BUYERS = 'a bid is of a bidder, whichever line item takes it';
/** Why figures of a source do not have a dimension that those of another one have. */
const MEANINGLESS: Readonly<Record<RollUpSource, Partial<Readonly<Record<DimensionName, string>>>>> = {
  hits: {
    ...{ bidder: 'what is delivered is counted by line item', deal: 'what is delivered is counted by line item' },
    error_code: NO_ERRORS,
  },
  plays: {
    ...{ bidder: 'what is played is counted by line item', deal: 'what is played is counted by line item' },
    ...{ country: OF_PLAYS, region: OF_PLAYS, device: OF_PLAYS, browser: OF_PLAYS },
  },
  requests: {
    ...{ advertiser: OF_ADS, campaign: OF_ADS, line_item: OF_ADS, creative: OF_ADS },
    ...{ bidder: ONCE, deal: ONCE, error_code: NO_ERRORS, region: 'regions are kept of hits only' },
  },
  bids: {
    ...{ advertiser: OF_BUYERS, campaign: OF_BUYERS, line_item: OF_BUYERS, creative: OF_BUYERS, error_code: NO_ERRORS },
    ...{ country: OF_PAGES, region: OF_PAGES, device: OF_PAGES, browser: OF_PAGES },
  },
  forecasts: {
    ...{ creative: OF_FORECASTS, placement: OF_FORECASTS, size: OF_FORECASTS, hour: OF_FORECASTS, country: OF_FORECASTS },
    advertiser: 'what was forecast is for staff',
  },
  request_forecasts: {
    ...{ advertiser: OF_ADS, campaign: OF_ADS, line_item: OF_ADS, creative: OF_ADS },
    hour: 'requests are forecast by the day',
  },
};

/** Why a metric cannot be grouped or filtered by a dimension; undefined: it can. */
export const whyNot = (metric: MetricName, name: DimensionName): string | undefined => {
  const { without, sums } = metricOf(metric);
  const { in: sources }: Dimension = dimensionOf(name);
  const missing = sums.map((sum) => SUMS[sum].of).find((of) => sources[of] === undefined);
  return missing ? (MEANINGLESS[missing][name] ?? 'it is not counted so') : without?.[name];
};

/** Whether a metric can be grouped and filtered by a dimension. */
export const hasDimension = (metric: MetricName, name: DimensionName): boolean => whyNot(metric, name) === undefined;
