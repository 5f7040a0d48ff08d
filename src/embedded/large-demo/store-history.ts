import type { Knex } from 'knex';
import { dateOfDay, dayOf, MS_PER_DAY, MS_PER_HOUR } from '../../base/utc-day.ts';
import { NoBidReason, reasonName } from '../../decision/no-bid-reason.ts';
import { createPartitions } from '../../events/postgres/partitions.ts';
import { type DeliveredDay, shareUntil } from './history-rows.ts';

/** Days that are counted by the hour; a week and more, which the home screen compares. */
const HOURLY_DAYS = 10;
/** Days of the traffic curve by which pacing goes. */
const CURVE_DAYS = 15;

/** SQL: the part of a count between two shares. Parts of neighbouring shares sum to the whole. `offset` is in [0, 1). */
const part = (count: string, offset: string): string => `(floor(${count} * hi + ${offset}) - floor(${count} * lo + ${offset}))::bigint`;
/** SQL: one for each creative and day, so that counts of one are not all in the last part. */
const OFFSET = `((creative_id * 617 + (day - date '2020-01-01') * 331) % 1000 / 1000::float8)`;
const COUNTS = ['serves', 'impressions', 'clicks', 'viewable'] as const;
const PARTS = COUNTS.map((name) => `${part(name, OFFSET)} as ${name}`).join(', ');
const SPEND = 'impressions * impression_micros + clicks * click_micros + viewable * viewable_micros';
const SUMS = `${COUNTS.join(', ')}, spend_micros`;
const IDS = 'day, publisher_id, campaign_id, line_item_id';

const TABLES = `
  create temp table demo_days (
    day date, publisher_id int, campaign_id int, line_item_id int, creative_id int, placement_id text, serves bigint, impressions bigint,
    clicks bigint, viewable bigint, impression_micros bigint, click_micros bigint, viewable_micros bigint
  ) on commit drop;
  create temp table demo_shares (of text, a text, b text, lo float8, hi float8) on commit drop;`;

const ADD_DAYS = `insert into demo_days select * from unnest(?::date[], ?::int[], ?::int[], ?::int[], ?::int[], ?::text[], ?::bigint[],
  ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])`;

/** A count of hours is that of a whole day, or of the part of today that has passed. */
const HOURS = `
  create temp table demo_hours on commit drop as
  select ${IDS}, creative_id, placement_id, (day + a::int * interval '1 hour') at time zone 'utc' as hour, impression_micros, click_micros,
         viewable_micros, ${PARTS}
  from demo_days join demo_shares on of = case when day = :today::date then 'hour of today' else 'hour' end
  where day > :today::date - ${HOURLY_DAYS}`;

const FROM_DAYS = [
  `insert into daily_counts (${IDS}, creative_id, serves, impressions, clicks, spend_micros)
   select ${IDS}, creative_id, serves, impressions, clicks, ${SPEND} from demo_days`,
  `insert into event_counts (day, line_item_id, creative_id, event_type, count)
   select day, line_item_id, creative_id, 'viewable', viewable from demo_days where viewable > 0`,
  `insert into report_days (${IDS}, creative_id, placement_id, reason, ${SUMS})
   select ${IDS}, creative_id, placement_id, '', ${COUNTS.join(', ')}, ${SPEND} from demo_days`,
  `insert into report_hours (${IDS}, creative_id, placement_id, hour, reason, ${SUMS})
   select ${IDS}, creative_id, placement_id, hour, '', ${COUNTS.join(', ')}, ${SPEND} from demo_hours
   where serves + impressions + clicks + viewable > 0`,
  // Serves are stored twice: without a placement as the ledger counts them, and with one.
  `insert into report_days (${IDS}, creative_id, placement_id, reason, serves) select ${IDS}, creative_id, '', '', sum(serves) from demo_days group by ${IDS}, creative_id`,
  `insert into report_hours (${IDS}, creative_id, placement_id, hour, reason, serves)
   select ${IDS}, creative_id, '', hour, '', sum(serves) from demo_hours where serves > 0 group by ${IDS}, creative_id, hour`,
  ...(['place', 'device'] as const).map(
    (of) => `insert into report_${of}s (${IDS}, ${of === 'place' ? 'country, region' : 'device, browser'}, reason, ${SUMS})
     select ${IDS}, a, b, '', sum(serves), sum(impressions), sum(clicks), sum(viewable), sum(${SPEND})
     from (select ${IDS}, a, b, impression_micros, click_micros, viewable_micros, ${PARTS} from demo_days join demo_shares on of = '${of}') parts
     group by ${IDS}, a, b`,
  ),
  `insert into hourly_counts (day, hour, publisher_id, impressions)
   select day, a::int, publisher_id, ${part('impressions', '0')}
   from (select day, publisher_id, sum(impressions) as impressions from demo_days
         where day between :today::date - ${CURVE_DAYS} and :today::date - 1 group by 1, 2) days join demo_shares on of = 'hour'`,
  ...[
    { table: 'request_days', from: 'demo_days', hour: '' },
    { table: 'request_hours', from: 'demo_hours', hour: ', hour' },
  ].map(
    ({ table, from, hour }) => `insert into ${table} (day, publisher_id, placement_id${hour}, reason, requests)
     select day, publisher_id, placement_id${hour}, a, ceil(sum(serves) * (hi - lo))
     from ${from} join demo_shares on of = 'outcome' group by day, publisher_id, placement_id${hour}, a, hi, lo`,
  ),
  ...[
    { table: 'request_countries', of: 'place', columns: 'country', by: 'a.a' },
    { table: 'request_devices', of: 'device', columns: 'device, browser', by: 'a.a, a.b' },
  ].map(
    ({ table, of, columns, by }) => `insert into ${table} (day, publisher_id, ${columns}, reason, requests)
     select day, publisher_id, ${by}, o.a, ceil(sum(serves * (a.hi - a.lo)) * (o.hi - o.lo))
     from (select day, publisher_id, sum(serves) as serves from demo_days group by day, publisher_id) days
     join demo_shares o on o.of = 'outcome' join demo_shares a on a.of = '${of}'
     group by day, publisher_id, ${by}, o.a, o.hi, o.lo`,
  ),
];

/** The event rows of today, with which its counts are compared all day; those of earlier days are past their retention. */
const EVENTS = [
  { kind: 'impression', type: '', count: 'impressions', micros: 'impression_micros' },
  { kind: 'event', type: 'viewable', count: 'viewable', micros: 'viewable_micros' },
  { kind: 'click', type: '', count: 'clicks', micros: 'click_micros' },
].map(
  ({ kind, type, count, micros }) => `
  insert into events (${IDS}, creative_id, placement_id, jti, kind, event_type, at, user_hash, country, device, billed_micros)
  select ${IDS}, creative_id, placement_id, concat_ws('-', 'demo', creative_id, extract(hour from hour at time zone 'utc'), n), '${kind}', '${type}',
         hour + (least(hour + interval '1 hour', :now::timestamptz) - hour) * n / (${count} + 1), '', 'US', 'mobile', ${micros}
  from demo_hours, generate_series(1, ${count}) n where day = :today::date`,
);

/** Shares by name, as cumulative bounds. */
const bounds = (of: string, weights: readonly (readonly [a: string, b: string, weight: number])[]) => {
  const whole = weights.reduce((sum, [, , weight]) => sum + weight, 0);
  let sum = 0;
  return weights.map(([a, b, weight]) => {
    const lo = sum / whole;
    sum += weight;
    return { of, a, b, lo, hi: sum / whole };
  });
};

export const PLACES = bounds('place', [
  ['US', 'US-NY', 41],
  ['US', 'US-CA', 27],
  ['CA', 'CA-ON', 14],
  ['GB', 'GB-ENG', 11],
  ['DE', 'DE-BE', 7],
]);
export const DEVICES = bounds('device', [
  ['mobile', 'Safari', 34],
  ['mobile', 'Chrome', 27],
  ['desktop', 'Chrome', 22],
  ['desktop', 'Firefox', 8],
  ['tablet', 'Safari', 9],
]);
/** Of requests, for each that was filled. */
const OUTCOMES = [
  ['', 1],
  [reasonName(NoBidReason.Pacing), 0.09],
  [reasonName(NoBidReason.Targeting), 0.05],
  [reasonName(NoBidReason.FrequencyCapped), 0.03],
].map(([a, hi]) => ({ of: 'outcome', a, b: '', lo: 0, hi }));

const hoursOf = (of: string, untilMs: number) =>
  Array.from({ length: Math.ceil(untilMs / MS_PER_HOUR) }, (_, hour) => {
    const share = (at: number): number => shareUntil(Math.min(at * MS_PER_HOUR, untilMs)) / shareUntil(untilMs);
    return { of, a: String(hour), b: '', lo: share(hour), hi: share(hour + 1) };
  });

/** Writes what the service would have counted: daily counts, the roll-ups of reports, and today's events. */
export const storeHistory = async (trx: Knex.Transaction, days: readonly DeliveredDay[], nowMs: number): Promise<void> => {
  const today = dayOf(nowMs);
  await createPartitions(trx, [today]);
  await trx.raw(TABLES);
  const column = <T>(read: (row: DeliveredDay) => T): T[] => days.map(read);
  await trx.raw(ADD_DAYS, [
    column(({ day }) => dateOfDay(day)),
    ...(
      ['publisherId', 'campaignId', 'lineItemId', 'creativeId', 'placementId', 'serves', 'impressions', 'clicks', 'viewable'] as const
    ).map((name) => column((row) => row[name])),
    ...(['impressionMicros', 'clickMicros', 'viewableMicros'] as const).map((name) => column((row) => row[name])),
  ] as unknown as Knex.RawBinding);
  await trx('demo_shares').insert([
    ...hoursOf('hour', MS_PER_DAY),
    ...hoursOf('hour of today', nowMs % MS_PER_DAY),
    ...[...PLACES, ...DEVICES, ...OUTCOMES],
  ]);
  const moment = { today: dateOfDay(today), now: new Date(nowMs).toISOString() };
  for (const sql of [HOURS, ...FROM_DAYS, ...EVENTS]) await trx.raw(sql, moment);
};
