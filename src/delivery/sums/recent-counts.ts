import type { Knex } from 'knex';
import { component } from '../../api/component.ts';
import * as s from '../../base/schema.ts';

/** Whole days of each publisher before today, and as many before those. */
const WEEK_DAYS = 7;

/** The impressions of a week, to see how they change. */
export const WEEK = component(
  'Week',
  s.record({
    impressions: s.described(s.count, `Net, of the last ${WEEK_DAYS} whole days of the publisher`),
    before: s.described(s.count, `Of the ${WEEK_DAYS} days before these`),
  }),
  { impressions: 29_400, before: 27_100 },
);
export type Week = s.Shape<typeof WEEK>;

/** What line items or campaigns are counted by. */
export type CountedBy = 'line_item_id' | 'campaign_id';

const since = (days: number): string => `c.day >= p.today - ${days}`;

/**
 * SQL: a row for each id that has delivered lately: `counted_id`, `impressions_today`, `spend_today` (micros), `week` and
 * `week_before` (impressions). A day is one of its publisher, which is that of UTC or one beside it.
 *
 * @param among SQL for the ids, after `in` or `= any`
 */
export const recentCounts = (by: CountedBy, among: string): string =>
  `select c.${by} as counted_id,
     coalesce(sum(c.impressions) filter (where ${since(0)}), 0) as impressions_today,
     coalesce(sum(c.spend_micros) filter (where ${since(0)}), 0) as spend_today,
     coalesce(sum(c.impressions) filter (where ${since(WEEK_DAYS)} and not ${since(0)}), 0) as week,
     coalesce(sum(c.impressions) filter (where ${since(2 * WEEK_DAYS)} and not ${since(WEEK_DAYS)}), 0) as week_before
   from daily_counts c
   join (select id, cast(now() at time zone time_zone as date) as today from publishers) p on p.id = c.publisher_id
   where c.day >= cast(now() at time zone 'utc' as date) - ${2 * WEEK_DAYS + 1} and c.${by} ${among}
   group by 1`;

/** By id, of those that have delivered lately. Rejects when Postgres is away. */
export const readWeeks = async (knex: Knex, by: CountedBy, ids: readonly number[]): Promise<Readonly<Record<number, Week>>> => {
  if (ids.length === 0) return {};
  const { rows } = await knex.raw<{ rows: { counted_id: number; week: string; week_before: string }[] }>(
    recentCounts(by, '= any(cast(:ids as int[]))'),
    { ids: [...ids] },
  );
  return Object.fromEntries(
    rows.map(({ counted_id, week, week_before }) => [counted_id, { impressions: Number(week), before: Number(week_before) }]),
  );
};
