import type { Knex } from 'knex';
import { createDayRules, localDayOf, startOfDay } from '../base/local-day.ts';
import { createRounds } from '../base/rounds.ts';
import { dateOfDay, MS_PER_HOUR, MS_PER_MINUTE } from '../base/utc-day.ts';
import { createZoneOffset } from '../base/zone-offset.ts';
import { compareForecasts } from './errors/compare-forecasts.ts';
import type { Forecasts } from './forecasts.ts';

export interface NightlyForecastsOptions {
  readonly knex: Knex;
  readonly forecasts: Pick<Forecasts, 'refreshBase'>;
  readonly now?: () => number;
  readonly onFailure: (fault: Error) => void;
}

/** Of the publisher's day: hits of the day before have come, and are counted. */
const NIGHT_HOUR = 3;
const EVERY_MS = 20 * MS_PER_MINUTE;
/** Days that are compared: what a night has missed, the next two make up for. */
const COMPARED_DAYS = 3;

/** Those that had requests on one of the days before. */
const PUBLISHERS = `
  select id, time_zone as zone from publishers, lateral (select (:at::timestamptz at time zone time_zone)::date as today) as its
  where not archived and exists (select from request_days where publisher_id = publishers.id and day between today - ${COMPARED_DAYS} and today - 1)
  order by id`;

/** One replica does the work of a night. */
const TAKE = `
  insert into forecast_nights (publisher_id, day) values (:publisherId, :day)
  on conflict (publisher_id) do update set day = excluded.day where forecast_nights.day < excluded.day returning publisher_id`;

/** Compares forecasts with what came, and forecasts all bookings anew, once a night for each publisher. */
export const createNightlyForecasts = ({ knex, forecasts, now = Date.now, onFailure }: NightlyForecastsOptions) => {
  const ruleOf = createDayRules(createZoneOffset());
  /** Does what is due. Resolves to the publishers whose night's work this replica has done. */
  const pass = async (): Promise<readonly number[]> => {
    const nowMs = now();
    const at = new Date(nowMs).toISOString();
    const { rows } = await knex.raw<{ rows: { id: number; zone: string }[] }>(PUBLISHERS, { at });
    const done: number[] = [];
    for (const { id: publisherId, zone } of rows) {
      const rule = ruleOf(zone, nowMs);
      const today = localDayOf(rule, nowMs);
      if (nowMs - startOfDay(rule, today) < NIGHT_HOUR * MS_PER_HOUR) continue;
      const taken = await knex.raw<{ rows: unknown[] }>(TAKE, { publisherId, day: dateOfDay(today) });
      if (taken.rows.length === 0) continue;
      for (let back = COMPARED_DAYS; back > 0; back--) await compareForecasts(knex, publisherId, today - back);
      forecasts.refreshBase(publisherId, dateOfDay(today), nowMs);
      done.push(publisherId);
    }
    return done;
  };
  return { pass, ...createRounds({ round: pass, pauseMs: EVERY_MS, onFailure }) };
};
