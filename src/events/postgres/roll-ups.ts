import { IMPRESSION_STEPS } from '../../bidders/bidder-observer.ts';
import { errorType, VIDEO_ERROR_CODES, VIDEO_EVENTS, type VideoEvent } from '../../catalog/model/video-events.ts';

const quoted = (types: readonly string[]): string => types.map((type) => `'${type}'`).join(', ');
/** SQL: what players report. */
const IS_PLAY = `kind = 'event' and event_type in (${quoted([...VIDEO_EVENTS, ...VIDEO_ERROR_CODES.map(errorType)])})`;

/** What every roll-up of hits sums, each with its SQL over groups of rows of events (GROUPINGS). */
const MEASURES = {
  impressions: `sum(count) filter (where kind = 'impression')`,
  clicks: `sum(count) filter (where kind = 'click')`,
  viewable: `sum(count) filter (where kind = 'event' and event_type = 'viewable')`,
  events: `sum(count) filter (where kind = 'event' and event_type <> 'viewable' and not (${IS_PLAY}))`,
  spend_micros: 'sum(micros)',
} as const;

/** What roll-ups of plays sum, each with the event of players that it counts; null: errors. */
export const PLAY_MEASURES = {
  starts: 'start',
  first_quartiles: 'firstQuartile',
  midpoints: 'midpoint',
  third_quartiles: 'thirdQuartile',
  completes: 'complete',
  skips: 'skip',
  errors: null,
} as const satisfies Readonly<Record<string, VideoEvent | null>>;

const IS_ERROR = `left(event_type, ${errorType('').length}) = '${errorType('')}'`;
const PLAY_SUMS = Object.fromEntries(
  Object.entries(PLAY_MEASURES).map(([name, event]) => [
    name,
    `sum(count) filter (where ${event === null ? IS_ERROR : `event_type = '${event}'`})`,
  ]),
);
/** SQL: the events of players that a roll-up of plays counts. */
const IS_SUMMED_PLAY = `${IS_ERROR} or event_type in (${quoted(Object.values(PLAY_MEASURES).filter((event) => event !== null))})`;

const LOCAL = 'at at time zone zone';

/** The keys of roll-ups, each with its SQL over a row of events. */
const KEYS = {
  day: `(${LOCAL})::date`,
  // The moment at which the local hour began: also right in zones with half hours, and in the hour
  // that a clock repeats.
  hour: `at - ((${LOCAL}) - date_trunc('hour', ${LOCAL}))`,
  publisher_id: 'publisher_id',
  campaign_id: 'campaign_id',
  line_item_id: 'line_item_id',
  creative_id: 'creative_id',
  placement_id: 'placement_id',
  // At which the ad was shown; of requests and bids that of the placement when they are stored. '': not known.
  size: 'size',
  // Who paid when the hit was stored (payers.ts).
  advertiser_id: 'advertiser_id',
  country: `coalesce(country, '')`,
  region: `coalesce(region, '')`,
  device: `coalesce(device, '')`,
  browser: `coalesce(browser, '')`,
  reason: 'invalid_reason',
  bidder_id: 'bidder_id',
  deal_id: 'deal_id',
  // Of a player's error, such as 303; '': it is none.
  error_code: `case when ${IS_ERROR} then substr(event_type, ${errorType('').length + 1}) else '' end`,
} as const;

export type RollUpKey = keyof typeof KEYS;

/** Hits, what players report, requests for ads, what bidders were asked and answered, and what was forecast of hits and of requests. */
export const ROLL_UP_SOURCES = ['hits', 'plays', 'requests', 'bids', 'forecasts', 'request_forecasts'] as const;
export type RollUpSource = (typeof ROLL_UP_SOURCES)[number];

export interface RollUp {
  readonly table: string;
  readonly of: RollUpSource;
  /** Its primary key, in the order in which every writer writes it. */
  readonly keys: readonly RollUpKey[];
}

const BOOKING = ['campaign_id', 'publisher_id', 'advertiser_id'] as const;
const SHOWN = ['line_item_id', 'creative_id', 'placement_id', 'reason', ...BOOKING, 'size'] as const;
const OFFER = ['publisher_id', 'placement_id', 'bidder_id'] as const;

/** Every table that reports are answered from, the smallest first. */
export const ROLL_UPS: readonly RollUp[] = [
  { table: 'report_days', of: 'hits', keys: ['day', ...SHOWN] },
  { table: 'report_countries', of: 'hits', keys: ['day', 'line_item_id', 'country', 'reason', ...BOOKING] },
  { table: 'report_places', of: 'hits', keys: ['day', 'line_item_id', 'country', 'region', 'reason', ...BOOKING] },
  { table: 'report_devices', of: 'hits', keys: ['day', 'line_item_id', 'device', 'browser', 'reason', ...BOOKING] },
  { table: 'report_hours', of: 'hits', keys: ['day', 'hour', ...SHOWN] },
  { table: 'play_days', of: 'plays', keys: ['day', ...SHOWN, 'error_code'] },
  { table: 'play_hours', of: 'plays', keys: ['day', 'hour', ...SHOWN, 'error_code'] },
  { table: 'request_days', of: 'requests', keys: ['day', 'publisher_id', 'placement_id', 'reason', 'size'] },
  { table: 'request_hours', of: 'requests', keys: ['day', 'hour', 'publisher_id', 'placement_id', 'reason', 'size'] },
  { table: 'request_countries', of: 'requests', keys: ['day', 'publisher_id', 'country', 'reason'] },
  { table: 'request_devices', of: 'requests', keys: ['day', 'publisher_id', 'device', 'browser', 'reason'] },
  { table: 'bid_days', of: 'bids', keys: ['day', ...OFFER, 'reason', 'size'] },
  { table: 'bid_hours', of: 'bids', keys: ['day', 'hour', ...OFFER, 'reason', 'size'] },
  { table: 'deal_days', of: 'bids', keys: ['day', ...OFFER, 'deal_id', 'reason', 'size'] },
  { table: 'deal_hours', of: 'bids', keys: ['day', 'hour', ...OFFER, 'deal_id', 'reason', 'size'] },
  // Written each night (forecast/errors/compare-forecasts.ts).
  { table: 'forecast_days', of: 'forecasts', keys: ['day', 'publisher_id', 'campaign_id', 'line_item_id'] },
  { table: 'request_forecast_days', of: 'request_forecasts', keys: ['day', 'publisher_id', 'placement_id'] },
];

/** Roll-ups by the hour are kept for so many days. */
export const REPORT_HOURS_DAYS = 100;
export const HOURLY_ROLL_UPS = ROLL_UPS.filter(({ keys }) => keys.includes('hour')).map(({ table }) => table);

const OF_HITS = ROLL_UPS.filter((rollUp) => rollUp.of === 'hits');
const OF_PLAYS = ROLL_UPS.filter((rollUp) => rollUp.of === 'plays');

/** Of an event: who booked and pays it, why it is filtered, and what it is. */
const EVENT = {
  ...Object.fromEntries(BOOKING.map((key) => [key, key])),
  ...{ line_item_id: 'line_item_id', invalid_reason: 'invalid_reason', kind: 'kind', event_type: 'event_type' },
};
const LOCAL_DAY = 'local_at::date';

/**
 * Groups of rows of events from which counts are made, each column with its SQL over a relation with the columns of events,
 * `of_day`, the day of the selection, and `local_at`, the publisher's time of the hit.
 */
export const GROUPINGS = {
  shown: {
    ...{ of_day: 'of_day', day: LOCAL_DAY, hour: `at - (local_at - date_trunc('hour', local_at))` },
    ...{ utc_hour: `date_trunc('hour', at at time zone 'utc')`, creative_id: 'creative_id', placement_id: 'placement_id', size: 'size' },
    ...EVENT,
  },
  placed: { day: LOCAL_DAY, country: KEYS.country, region: KEYS.region, ...EVENT },
  seen_on: { day: LOCAL_DAY, device: KEYS.device, browser: KEYS.browser, ...EVENT },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;
export const GROUPED = Object.keys(GROUPINGS) as (keyof typeof GROUPINGS)[];

/** The group that has all keys of a roll-up. */
const groupOf = ({ keys }: RollUp): keyof typeof GROUPINGS => {
  if (keys.includes('creative_id')) return 'shown';
  return keys.includes('country') ? 'placed' : 'seen_on';
};

const upsert = (
  { table, keys }: RollUp,
  values: Readonly<Record<string, string>>,
  from: string,
  givenKeys: Readonly<Record<string, string>>,
) => {
  const names = Object.keys(values);
  const list = keys.join(', ');
  return `insert into ${table} (${list}, ${names.join(', ')})
    select ${[...keys.map((key) => `${givenKeys[key]} as ${key}`), ...names.map((name) => `coalesce(${values[name]}, 0)`)].join(', ')}
    from ${from} group by ${keys.map((_, i) => i + 1).join(', ')} order by ${keys.map((_, i) => i + 1).join(', ')}
    on conflict (${list}) do update set ${names.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ')}`;
};

/** The sources whose roll-ups are made from rows of events: what they sum, and of which rows. */
const OF_EVENTS = {
  // Of what players report they have what it bills.
  hits: { sums: MEASURES, rows: `(not (${IS_PLAY}) or micros <> 0)` },
  plays: { sums: PLAY_SUMS, rows: `kind = 'event' and (${IS_SUMMED_PLAY})` },
} as const satisfies Partial<Readonly<Record<RollUpSource, { readonly sums: Readonly<Record<string, string>>; readonly rows: string }>>>;
export type EventSource = keyof typeof OF_EVENTS;
export const isOfEvents = (of: RollUpSource): of is EventSource => of in OF_EVENTS;

/** SQL: members of a WITH that add the groups of rows of events (GROUPINGS), which are members before, to every roll-up. */
export const addToRollUps = (): string => [...OF_HITS, ...OF_PLAYS].map(added).join(', ');

const added = (rollUp: RollUp): string => {
  const { sums, rows } = OF_EVENTS[rollUp.of as EventSource];
  const keys = Object.fromEntries(rollUp.keys.map((key) => [key, GROUPED_KEYS[key] ?? key]));
  return `${rollUp.table}_added as (${upsert(rollUp, sums, `${groupOf(rollUp)} where ${rows}`, keys)})`;
};
/** Keys that groups have under another name. */
const GROUPED_KEYS: Readonly<Partial<Record<RollUpKey, string>>> = { reason: KEYS.reason, error_code: KEYS.error_code };

/** The names of what a roll-up of a source sums. */
export const measuresOf = (of: EventSource): readonly string[] => Object.keys(OF_EVENTS[of].sums);

/**
 * SQL that Postgres and ClickHouse both read: what the roll-ups of a source sum, by some of their keys, from rows of events.
 *
 * @param from a relation with those columns of GROUPINGS that the keys are made from, `kind`, `event_type`, `count` and `micros`
 */
export const summedEvents = (of: EventSource, keys: readonly RollUpKey[], from: string): string => {
  const { sums, rows } = OF_EVENTS[of];
  const columns = keys.map((key) => `${GROUPED_KEYS[key] ?? key} as ${key}`);
  const sumsSql = Object.entries(sums).map(([name, sql]) => `coalesce(${sql}, 0) as ${name}`);
  return `select ${[...columns, ...sumsSql].join(', ')} from ${from} where ${rows} group by ${keys.map((_, i) => i + 1).join(', ')}`;
};

const serves = (rollUp: RollUp, sum: string, from: string, keys: Readonly<Record<string, string>>): string =>
  `${rollUp.table}_added as (${upsert(rollUp, { serves: sum }, from, { ...KEYS, reason: `''`, ...keys })})`;

/**
 * SQL: the same for the serves of the ledger, which have no placement, size, place or device.
 *
 * @param from a relation with `at`, `zone`, the ids and `grown`, the serves that are new
 */
export const addServesToRollUps = (from: string): string =>
  OF_HITS.filter(({ keys }) => keys.includes('creative_id'))
    .map((rollUp) => serves(rollUp, 'sum(grown)', from, { placement_id: `''`, size: `''` }))
    .join(', ');

/** By what a count of a replica is counted: with its placement, its country, or its device and browser. */
export const COUNTED_BY = ['placement', 'country', 'device'] as const;
export type CountedBy = (typeof COUNTED_BY)[number];

const countedBy = ({ keys }: RollUp): CountedBy | undefined => {
  if (keys.includes('region')) return undefined;
  return keys.includes('country') ? 'country' : keys.includes('device') ? 'device' : 'placement';
};

/** SQL: rows of a relation with a column `counted_by`, one of COUNTED_BY, for a roll-up that is counted so. */
const rowsFor = (rollUp: RollUp, from: string): string => `${from} where counted_by = '${countedBy(rollUp)}'`;

/**
 * SQL: the same for serves as replicas count them: by placement and size, by country, or by device and browser. Those with a
 * placement are counted by the ledger too, without one.
 *
 * @param from a relation with `counted_by`, `at`, `zone`, the keys of roll-ups of hits but `reason`, and `serves`
 */
export const addPlacedServesToRollUps = (from: string): string =>
  OF_HITS.filter(countedBy)
    .map((rollUp) => serves(rollUp, 'sum(serves)', rowsFor(rollUp, from), {}))
    .join(', ');

/** SQL: the same for requests. @param from a relation with `counted_by`, `at`, `zone`, the keys of roll-ups of requests, and `requests` */
export const addRequestsToRollUps = (from: string): string =>
  ROLL_UPS.filter((rollUp) => rollUp.of === 'requests')
    .map(
      (rollUp) =>
        `${rollUp.table}_added as (${upsert(rollUp, { requests: 'sum(requests)' }, rowsFor(rollUp, from), { ...KEYS, reason: 'reason' })})`,
    )
    .join(', ');

const BID_MEASURES = Object.fromEntries(IMPRESSION_STEPS.map((step) => [step, `sum(${step})`]));

/**
 * SQL: the same for what bidders answered. Deals have separate roll-ups: an impression is counted once, and again
 * for each deal that was offered for it.
 *
 * @param from a relation with `at`, `zone`, `publisher_id`, `placement_id`, `bidder_id`, `deal_id` ('': the impression
 *   as a whole), `reason` `size` and a column for each of IMPRESSION_STEPS
 */
export const addBidsToRollUps = (from: string): string =>
  ROLL_UPS.filter((rollUp) => rollUp.of === 'bids')
    .map((rollUp) => {
      const rows = `${from} where deal_id ${rollUp.keys.includes('deal_id') ? '<>' : '='} ''`;
      return `${rollUp.table}_added as (${upsert(rollUp, BID_MEASURES, rows, { ...KEYS, reason: 'reason' })})`;
    })
    .join(', ');
