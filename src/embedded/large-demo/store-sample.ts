import type { Knex } from 'knex';
import { dateOfDay, dayOf } from '../../base/utc-day.ts';
import { pairOf } from '../../targeting/targeting-rules.ts';
import { drawn } from './drawn.ts';
import { DEVICES, PLACES } from './store-history.ts';

/** Before today: two weeks say nothing of a trend. */
const DAYS = 28;
/** Impressions that a row counts for: few rows, so that a forecast of the demonstration takes seconds. */
const WEIGHT = 16;
/** Of a publisher; each of them comes back on several days. */
const VISITORS = 1_500;

/** SQL: when each hour of a day begins, as a share of its traffic. */
const HOURS = `(select array_agg(lo order by lo) from demo_shares where of = 'hour')`;
/** SQL: which of the shares, from 1, a number in [0, 1) falls into; `lows` are their lower bounds, in order. */
const shareAt = (number: string, lows: string): string => `width_bucket(${number}, ${lows})`;

/** A visitor keeps country and device: both follow from its number. */
const SAMPLE = `
  insert into traffic_sample
    (publisher_id, at, weight, visitor, page_view, remembered, floor_micros, visitor_offset, placements, sizes, pairs)
  select publisher_id, (day + (${shareAt(drawn('key', 3), HOURS)} - 1 + ${drawn('key', 2)}) * interval '1 hour') at time zone 'utc', ${WEIGHT},
         'demo-' || visitor, 0, true, null, null, array[placement_id], array[''],
         array[(?::text[])[${shareAt(drawn('visitor::text', 4), '?::float8[]')}], (?::text[])[${shareAt(drawn('visitor::text', 5), '?::float8[]')}]]
  from (
    select *, floor(${VISITORS} * ${drawn('key', 1)})::int as visitor
    from (
      select day, publisher_id, placement_id, concat_ws('-', publisher_id, day, placement_id, n) as key
      from (
        select day, publisher_id, placement_id, sum(requests) as requests from request_days
        where day >= ?::date - ${DAYS} and day < ?::date and placement_id <> '' group by 1, 2, 3
      ) as asked, generate_series(1, (requests / ${WEIGHT})::int) as n
    ) as keyed
  ) as visits
  order by 1, 2`;

/** The sample of traffic that forecasts are made from. After `storeHistory`, in its transaction. */
export const storeSample = async (trx: Knex.Transaction, nowMs: number): Promise<void> => {
  const today = dateOfDay(dayOf(nowMs));
  const columns = (shares: readonly { readonly a: string; readonly lo: number }[], pair: (name: string) => string) => [
    shares.map(({ a }) => pair(a)),
    shares.map(({ lo }) => lo),
  ];
  await trx.raw(SAMPLE, [
    ...columns(PLACES, (country) => pairOf('countries', 'country', country)),
    ...columns(DEVICES, (device) => pairOf('devices', 'device', device)),
    ...[today, today],
  ] as unknown as Knex.RawBinding);
};
