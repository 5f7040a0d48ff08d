import type { Knex } from 'knex';
import { createDayRules, localDayOf, UTC_DAYS, type DayRule } from '../../base/local-day.ts';
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
