import type { Knex } from 'knex';
import { dateOfDay, dayOf } from '../../base/utc-day.ts';
import { AGES, keepForReports } from '../../forecast/errors/compare-forecasts.ts';
import { TENTH } from '../../forecast/replay/delivery-range.ts';
import { drawn } from './drawn.ts';

/** Before today: as many as the page and metrics look at. */
const DAYS = 28;
/** How far forecasts of an age were off: the standard deviation of the logarithm. */
const OFF = { 1: 0.05, 7: 0.07, 28: 0.1 } as const satisfies Record<(typeof AGES)[number], number>;

/** SQL: a number near a normal distribution that is the same on every run of a day. */
const DRAWN = `(2 * (${[1, 2, 3].map((seed) => drawn("concat_ws('-', subject, key, day, age)", seed)).join(' + ')} - 1.5))`;

const ERRORS = `
  insert into forecast_errors (publisher_id, day, age, subject, key, p10, p50, p90, widening, actual)
  select publisher_id, day, age, subject, key, round(p50 * exp(-${TENTH} * off)), p50, round(p50 * exp(${TENTH} * off)), 1, actual
  from (
    select came.*, age, off, round(actual * exp(off * ${DRAWN}))::int as p50
    from (
      select publisher_id, day, 'line_item' as subject, line_item_id::text as key, sum(impressions)::int as actual from daily_counts group by 1, 2, 4
      union all
      select publisher_id, day, 'placement', placement_id, sum(requests)::int from request_days where placement_id <> '' group by 1, 2, 4
    ) as came, unnest(?::int[], ?::float8[]) as ages (age, off)
    where day >= ?::date - ${DAYS} and day < ?::date and actual > 0
  ) as forecast`;

/** How good the forecasts of the last weeks were. After `storeHistory`, in its transaction. */
export const storeForecasts = async (trx: Knex.Transaction, publisherIds: readonly number[], nowMs: number): Promise<void> => {
  const today = dayOf(nowMs);
  const date = dateOfDay(today);
  await trx.raw(ERRORS, [[...AGES], AGES.map((age) => OFF[age]), date, date] as unknown as Knex.RawBinding);
  for (const publisherId of publisherIds) for (let back = DAYS; back > 0; back--) await keepForReports(trx, publisherId, today - back);
};
