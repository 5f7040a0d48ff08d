import type { Knex } from 'knex';
import { dateOfDay } from '../../base/utc-day.ts';
import { arrayLiteral } from '../../events/postgres/array-literal.ts';
import type { BaseFigures } from '../base-figures.ts';
import type { Range } from '../replay/delivery-range.ts';

/** How old the forecasts are that are compared with what came, in days. */
export const AGES = [1, 7, 28] as const;
export type ForecastAge = (typeof AGES)[number];

export const SUBJECTS = ['placement', 'line_item'] as const;
export type ErrorSubject = (typeof SUBJECTS)[number];

interface ComparedRow {
  readonly age: ForecastAge;
  readonly subject: ErrorSubject;
  readonly key: string;
  readonly range: Range;
  readonly widening: number;
  readonly actual: number;
}

const STORE = `
  insert into forecast_errors (publisher_id, day, age, subject, key, p10, p50, p90, widening, actual)
  select :publisherId, :day, age, subject, key, p10, p50, p90, widening, actual
  from unnest(:age::int[], :subject::text[], :key::text[], :p10::int[], :p50::int[], :p90::int[], :widening::real[], :actual::int[])
    as compared (age, subject, key, p10, p50, p90, widening, actual)
  on conflict (publisher_id, day, age, subject, key) do update set actual = excluded.actual`;

/** Reports have the forecasts of this age. */
const REPORTED_AGE: ForecastAge = 7;
const FIGURES = 'p50 as forecast, actual as came, abs(actual - p50) as off';
const UPDATE = 'do update set forecast = excluded.forecast, came = excluded.came, off = excluded.off';
const OF_DAY = `where publisher_id = :publisherId and day = :day and age = ${REPORTED_AGE}`;
const KEEP_FOR_REPORTS = `
  with delivered as (
    insert into forecast_days (day, publisher_id, campaign_id, line_item_id, forecast, came, off)
    select day, publisher_id, campaign_id, line_items.id, ${FIGURES}
    from forecast_errors join line_items on line_items.id = key::int ${OF_DAY} and subject = 'line_item'
    on conflict (day, publisher_id, campaign_id, line_item_id) ${UPDATE}
  )
  insert into request_forecast_days (day, publisher_id, placement_id, forecast, came, off)
  select day, publisher_id, key, ${FIGURES} from forecast_errors ${OF_DAY} and subject = 'placement'
  on conflict (day, publisher_id, placement_id) ${UPDATE}`;

/**
 * Compares a whole day with what was forecast for it, and stores both. Done again, it stores the same.
 *
 * @param day of the publisher, since the epoch
 * @returns how many forecasts were compared. Rejects when Postgres is unavailable
 */
export const compareForecasts = async (knex: Knex, publisherId: number, day: number): Promise<number> => {
  const came = { placement: await requestsOf(knex, publisherId, day), line_item: await impressionsOf(knex, publisherId, day) };
  const rows: ComparedRow[] = [];
  for (const age of AGES) {
    const made = await knex('forecast_bases')
      .where({ publisher_id: publisherId, made_on: dateOfDay(day - age) })
      .first<{ figures: BaseFigures } | undefined>('figures');
    if (!made) continue;
    for (const [subject, key, range] of rangesOn(made.figures, dateOfDay(day))) {
      const actual = came[subject].get(key) ?? 0;
      if (range.p90 + actual > 0) rows.push({ age, subject, key, range, widening: made.figures.widening, actual });
    }
  }
  if (rows.length === 0) return 0;
  const column = (read: (row: ComparedRow) => string | number): string => arrayLiteral(rows.map(read));
  await knex.raw(STORE, {
    publisherId,
    day: dateOfDay(day),
    age: column((row) => row.age),
    subject: column((row) => row.subject),
    key: column((row) => row.key),
    p10: column(({ range }) => range.p10),
    p50: column(({ range }) => range.p50),
    p90: column(({ range }) => range.p90),
    widening: column((row) => row.widening),
    actual: column((row) => row.actual),
  });
  await keepForReports(knex, publisherId, day);
  return rows.length;
};

/** Keeps what was compared of a day for reports, which have it for longer. Rejects when Postgres is unavailable. */
export const keepForReports = async (knex: Knex, publisherId: number, day: number): Promise<void> => {
  await knex.raw(KEEP_FOR_REPORTS, { publisherId, day: dateOfDay(day) });
};

/** What was forecast for a day. */
function* rangesOn({ days, placements, lineItems }: BaseFigures, date: string): Generator<readonly [ErrorSubject, string, Range]> {
  const at = days.indexOf(date);
  if (at < 0) return;
  const on = ({ p10, p50, p90 }: { readonly [name in keyof Range]: readonly number[] }): Range => ({
    ...{ p10: p10[at] ?? 0, p50: p50[at] ?? 0, p90: p90[at] ?? 0 },
  });
  for (const [key, { p10, available, p90 }] of Object.entries(placements)) yield ['placement', key, on({ p10, p50: available, p90 })];
  for (const [key, ranges] of Object.entries(lineItems)) yield ['line_item', key, on(ranges)];
}

const requestsOf = async (knex: Knex, publisherId: number, day: number): Promise<ReadonlyMap<string, number>> => {
  const rows = await knex('request_days')
    .where({ publisher_id: publisherId, day: dateOfDay(day) })
    .groupBy('placement_id')
    .select<{ key: string; count: string }[]>('placement_id as key', knex.raw('sum(requests) as count'));
  return new Map(rows.map(({ key, count }) => [key, Number(count)]));
};

const impressionsOf = async (knex: Knex, publisherId: number, day: number): Promise<ReadonlyMap<string, number>> => {
  const rows = await knex('daily_counts')
    .where({ publisher_id: publisherId, day: dateOfDay(day) })
    .groupBy('line_item_id')
    .select<{ key: number; count: string }[]>('line_item_id as key', knex.raw('sum(impressions) as count'));
  return new Map(rows.map(({ key, count }) => [String(key), Number(count)]));
};
