import type { Knex } from 'knex';
import { createDayRules, localDayOf, UTC_DAYS, type DayRule } from '../../base/local-day.ts';
import { dayOf } from '../../base/utc-day.ts';
import { createZoneOffset } from '../../base/zone-offset.ts';

/** The days of the publishers at one moment. */
export interface PublisherDays {
  /** Of one that is not there: those of UTC. */
  rule(publisherId: number): DayRule;
  /** Its day, in days since 1970-01-01. */
  today(publisherId: number): number;
}

/** Reads the time zones, of all publishers or of some. Rejects when Postgres is unavailable. */
export const readPublisherDays = async (knex: Knex, atMs: number, ids?: readonly number[]): Promise<PublisherDays> => {
  const all = knex('publishers').select<{ id: number; time_zone: string }[]>('id', 'time_zone');
  const rows = await (ids ? all.whereIn('id', ids) : all);
  const ruleOf = createDayRules(createZoneOffset());
  const rules = new Map(rows.map(({ id, time_zone }) => [id, ruleOf(time_zone, atMs)]));
  const rule = (publisherId: number): DayRule => rules.get(publisherId) ?? UTC_DAYS;
  return { rule, today: (publisherId) => localDayOf(rule(publisherId), atMs) };
};

/** The latest day that the publishers of these campaigns have now, in days since 1970-01-01; that of UTC without any. */
export const latestToday = async (knex: Knex, atMs: number, campaignIds: readonly number[]): Promise<number> => {
  const { rows } = await knex.raw<{ rows: { today: string | null }[] }>(
    `select to_char(max((to_timestamp(?) at time zone time_zone)::date), 'YYYY-MM-DD') as today
     from publishers where id in (select publisher_id from campaigns where id = any(?::int[]))`,
    [atMs / 1000, [...campaignIds]] as unknown as Knex.RawBinding[],
  );
  const today = rows[0]?.today ?? null;
  return dayOf(today === null ? atMs : Date.parse(today));
};
