import type { Knex } from 'knex';
import { FLIGHTS } from '../delivery/attention/find-bookings.ts';
import { showEndDate } from '../catalog/model/flight-dates.ts';
import type { ShortLineItem } from '../forecast/short-line-items.ts';
import type { FoundAlert } from './found-alert.ts';

interface ShortRow {
  readonly id: number;
  readonly name: string;
  readonly publisherId: number;
  readonly untilMs: number;
  readonly short: ShortLineItem;
}

/** Those of the last forecast of all bookings that have not ended, been stopped or got another goal since. */
const SHORT = `
  with ${FLIGHTS}, latest as (
    select distinct on (publisher_id) publisher_id, made_on, at_risk from forecast_bases
    where made_on > :at::date - 3 order by publisher_id, made_on desc
  ), short as (select publisher_id, made_on, value from latest, jsonb_array_elements(at_risk) as value)
  select f.id, f.name, f.publisher_id as "publisherId", short.value as short,
         extract(epoch from least(f.until_at, (short.made_on + 29)::timestamptz))::float8 * 1000 as "untilMs"
  from flights f join short on short.publisher_id = f.publisher_id and f.id = (short.value ->> 'lineItemId')::int
  where f.runs and f.until_at > :at and f.goal_impressions = (short.value ->> 'goal')::bigint
  order by (short.value ->> 'due')::int - (short.value ->> 'expected')::int desc, f.id limit :limit`;

/**
 * Line items that the forecast of the last night expects to miss their goals, the largest gap first, each with what would help
 * most. Rejects when Postgres is unavailable.
 */
export const findShortAlerts = async (knex: Knex, atMs: number, limit: number): Promise<readonly FoundAlert[]> => {
  const { rows } = await knex.raw<{ rows: ShortRow[] }>(SHORT, { at: new Date(atMs).toISOString(), limit });
  return rows.map(({ id, name, publisherId, untilMs, short }) => ({
    ...{ kind: 'will_under_deliver', entity: 'line_item', entityId: String(id), publisherId },
    words: `“${name}” is expected to deliver ${count(short.expected)} of ${count(short.due)} impressions that are due by ${showEndDate(untilMs)} (${Math.floor((100 * short.expected) / Math.max(short.due, 1))}%). ${remedyWords(short)}`,
  }));
};

const remedyWords = ({ remedy }: ShortLineItem): string =>
  remedy
    ? `What helps most: ${remedy.words}, for about ${count(remedy.p50)}.`
    : 'No single change is known to bring more: lower its goal, or book it on more placements.';

const count = (impressions: number): string => impressions.toLocaleString('en');
