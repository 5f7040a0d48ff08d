import type { Knex } from 'knex';
import { dateOfDay, MS_PER_DAY } from '../base/utc-day.ts';
import { targetingRules } from '../targeting/targeting-rules.ts';
import { readWidening } from './errors/forecast-errors.ts';
import { borrowTargeting } from './replay/borrow-targeting.ts';
import type { HitRates, StartedAccount } from './replay/known-delivery.ts';
import { createSampleStore, SAMPLE_DAYS } from './sample/sample-store.ts';
import type { SampledRequest } from './sample/sampled-request.ts';
import type { TrafficHistory } from './traffic/plan-traffic.ts';
import type { TrafficEvent } from './traffic/traffic-event.ts';

/** What a forecast of a publisher is made from. */
export interface ForecastInputs {
  readonly sample: readonly SampledRequest[];
  readonly history: TrafficHistory;
  readonly events: readonly TrafficEvent[];
  readonly started: readonly StartedAccount[];
  readonly rates: HitRates;
  /** By how much the ranges of earlier forecasts were too narrow. */
  readonly widening: number;
}

/** Weeks of counts, and the same weeks a year ago with those to come. */
const HISTORY_DAYS = 70;
const YEAR_DAYS = 364;

/** Serves of a line item from which on its own part of rendered ads is known. */
const SURE_SERVES = 500;
const SURE_IMPRESSIONS = 5_000;
const SURE_VIEWS = 500;
const USUAL_RENDER_RATE = 0.9;
const USUAL_CLICK_RATE = 0.001;
const USUAL_VIEWABLE_RATE = 0.6;
const RATE_DAYS = 14;

/** How much of the sample is read: all that is replayed, or what is enough for an estimate within a second. */
export const EXTENTS = { replay: { days: SAMPLE_DAYS, most: Infinity }, estimate: { days: 9, most: 50_000 } };

/**
 * @param today the day of the publisher, since the epoch
 */
export const readInputs = async (
  knex: Knex,
  publisherId: number,
  nowMs: number,
  today: number,
  { days, most }: (typeof EXTENTS)[keyof typeof EXTENTS] = EXTENTS.replay,
): Promise<ForecastInputs> => ({
  sample: borrowTargeting(await createSampleStore({ knex }).read(publisherId, nowMs - days * MS_PER_DAY, nowMs, most)),
  history: await readHistory(knex, publisherId, today),
  events: await readEvents(knex, publisherId, nowMs),
  started: await readStarted(knex, publisherId, today),
  rates: await readRates(knex, publisherId, today),
  widening: await readWidening(knex, publisherId),
});

const readHistory = async (knex: Knex, publisherId: number, today: number): Promise<TrafficHistory> => {
  const { rows } = await knex.raw<{ rows: { placement_id: string; day: number; requests: number }[] }>(
    `select placement_id, day - date '1970-01-01' as day, sum(requests)::float8 as requests from request_days
     where publisher_id = :publisherId and placement_id <> ''
       and (day between date '1970-01-01' + cast(:from as int) and date '1970-01-01' + cast(:today as int)
         or day between date '1970-01-01' + cast(:yearFrom as int) and date '1970-01-01' + cast(:yearTo as int))
     group by 1, 2`,
    {
      publisherId,
      today,
      from: today - HISTORY_DAYS,
      yearFrom: today - YEAR_DAYS - HISTORY_DAYS,
      yearTo: today - YEAR_DAYS + HISTORY_DAYS,
    },
  );
  const history = new Map<string, Map<number, number>>();
  for (const { placement_id, day, requests } of rows) {
    const days = history.get(placement_id) ?? new Map<number, number>();
    history.set(placement_id, days.set(day, requests));
  }
  return history;
};

/** What is known of traffic to come, as stored. */
export interface EventRow {
  readonly name: string;
  readonly from_at: Date;
  readonly to_at: Date;
  readonly factor: number;
  readonly placements: readonly string[];
  readonly key_values: Readonly<Record<string, readonly string[]>>;
}

/** What staff know of its traffic. */
export const readEvents = async (knex: Knex, publisherId: number, nowMs: number): Promise<readonly TrafficEvent[]> => {
  const rows = await knex('traffic_events')
    .where({ publisher_id: publisherId })
    .where('to_at', '>', new Date(nowMs - HISTORY_DAYS * MS_PER_DAY))
    .select<EventRow[]>('*');
  return rows.map(({ name, from_at, to_at, factor, placements, key_values }) => ({
    ...{ name, factor, placements, fromMs: from_at.getTime(), toMs: to_at.getTime() },
    targeting: targetingRules({ key_values }),
  }));
};

const COUNTED = `
  select LEVEL as account, sum(impressions)::float8 as impressions, sum(clicks)::float8 as clicks, sum(spend_micros)::float8 as micros,
         coalesce(sum(impressions) filter (where day = :today), 0)::float8 as "todayImpressions",
         coalesce(sum(spend_micros) filter (where day = :today), 0)::float8 as "todayMicros"
  from daily_counts where publisher_id = :publisherId group by 1`;

const readStarted = async (knex: Knex, publisherId: number, today: number): Promise<readonly StartedAccount[]> => {
  const read = async (level: string): Promise<readonly StartedAccount[]> => {
    const bindings = { publisherId, today: dateOfDay(today) };
    return (await knex.raw<{ rows: StartedAccount[] }>(COUNTED.replace('LEVEL', level), bindings)).rows;
  };
  return [...(await read(`'l' || line_item_id`)), ...(await read(`'c' || campaign_id`))];
};

const COUNTED_HITS = `
  select id, serves, impressions, clicks, coalesce(viewable, 0) as viewable
  from (select line_item_id as id, sum(serves)::float8 as serves, sum(impressions)::float8 as impressions, sum(clicks)::float8 as clicks
        from daily_counts where publisher_id = :publisherId and day >= :from and day < :today group by 1) counted
  left join (select line_item_id as id, sum(viewable)::float8 as viewable
             from report_days where publisher_id = :publisherId and day >= :from and day < :today and reason = '' group by 1) viewed using (id)`;

const readRates = async (knex: Knex, publisherId: number, today: number): Promise<HitRates> => {
  type Counted = 'serves' | 'impressions' | 'clicks' | 'viewable';
  const { rows } = await knex.raw<{ rows: Readonly<Record<'id' | Counted, number>>[] }>(COUNTED_HITS, {
    publisherId,
    from: dateOfDay(today - RATE_DAYS),
    today: dateOfDay(today),
  });
  const sum = (of: Counted): number => rows.reduce((total, row) => total + row[of], 0);
  const rendered = mixed(sum('impressions'), sum('serves'), SURE_SERVES, USUAL_RENDER_RATE);
  const clicked = mixed(sum('clicks'), sum('impressions'), SURE_IMPRESSIONS, USUAL_CLICK_RATE);
  const seen = mixed(sum('viewable'), sum('impressions'), SURE_VIEWS, USUAL_VIEWABLE_RATE);
  const own = new Map(
    rows.map(({ id, serves, impressions, clicks, viewable }) => [
      id,
      {
        render: mixed(impressions, serves, SURE_SERVES, rendered),
        click: mixed(clicks, impressions, SURE_IMPRESSIONS, clicked),
        view: mixed(viewable, impressions, SURE_VIEWS, seen),
      },
    ]),
  );
  const isViewKnown = sum('viewable') > 0;
  return {
    renderRate: (id) => own.get(id)?.render ?? rendered,
    clickRate: (id) => own.get(id)?.click ?? clicked,
    // Pages that report nothing say nothing of what was in view.
    viewableRate: (id) => (isViewKnown ? (own.get(id)?.view ?? seen) : USUAL_VIEWABLE_RATE),
    isViewKnown,
  };
};

/** A part of a whole, of which few leave it near what is usual. */
const mixed = (part: number, whole: number, sure: number, usual: number): number => Math.min((part + sure * usual) / (whole + sure), 1);
