import type { Knex } from 'knex';
import type { Ids } from '../../access/scope.ts';
import { FORECAST_DAYS } from '../../forecast/forecast-days.ts';
import type { ShortLineItem } from '../../forecast/short-line-items.ts';
import { FLIGHTS, VALUE, type Booking } from './find-bookings.ts';

/** A line item that is expected to miss its goal. */
export interface ShortBooking extends Omit<Booking, 'startMs' | 'endsSoon'> {
  /** The end of its flight, or of the days that are forecast. */
  readonly untilMs: number;
  readonly short: ShortLineItem;
}

/** Those of the last forecast of all bookings that have not ended, been stopped or got another goal since. */
const SHORT = `
  with ${FLIGHTS}, latest as (
    select distinct on (publisher_id) publisher_id, made_on, at_risk from forecast_bases
    where made_on > :at::date - 3 and (cast(:publishers as int[]) is null or publisher_id = any(cast(:publishers as int[])))
    order by publisher_id, made_on desc
  ), short as (select publisher_id, made_on, value from latest, jsonb_array_elements(at_risk) as value)
  select f.id, f.name, f.publisher_id as "publisherId", f.currency, short.value as short, (${VALUE})::float8 as "valueMicros",
         extract(epoch from f.until_at)::float8 * 1000 as "endMs",
         extract(epoch from least(f.until_at, (short.made_on + ${FORECAST_DAYS})::timestamptz))::float8 * 1000 as "untilMs"
  from flights f join short on short.publisher_id = f.publisher_id and f.id = (short.value ->> 'lineItemId')::int
  where f.runs and f.until_at > :at and f.goal_impressions = (short.value ->> 'goal')::bigint
  order by (short.value ->> 'due')::int - (short.value ->> 'expected')::int desc, f.id limit :limit`;

/** Line items that the forecast of the last night expects to miss their goals, the largest gap first. Rejects when Postgres is unavailable. */
export const findShort = async (
  knex: Knex,
  { atMs, limit, publishers = null }: { readonly atMs: number; readonly limit: number; readonly publishers?: Ids },
): Promise<readonly ShortBooking[]> => {
  const bindings = { at: new Date(atMs).toISOString(), limit, publishers } as Record<string, Knex.RawBinding>;
  return (await knex.raw<{ rows: ShortBooking[] }>(SHORT, bindings)).rows;
};

/** What its gap costs, in micros; null: nothing is agreed. */
export const shortRiskMicros = ({ valueMicros, short }: ShortBooking): number | null =>
  valueMicros === null || short.goal === 0 ? null : (valueMicros * (short.due - short.expected)) / short.goal;
