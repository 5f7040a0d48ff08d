import type { RollUpKey } from '../../events/postgres/roll-ups.ts';
import { dimensionOf, type DimensionName } from './report-dimensions.ts';
import type { ReportQuestion } from './report-question.ts';

/** The keys by which a fee is known without dividing it. */
const OF_LINE_ITEM: readonly RollUpKey[] = ['day', 'hour', 'publisher_id', 'campaign_id', 'line_item_id', 'reason'];

/**
 * SQL: the members of a WITH that end in `fee_rows`, what Flat line items earn, with the columns of the
 * roll-up that answers the report. A fee is earned evenly over the flight, as it is now, whether or not
 * ads are delivered. Each point of a flight is rounded down once, so the days of a flight sum to the
 * fee, to the micro; the days are those of the publisher.
 *
 * Where a report has dimensions that a line item does not have, its rows of a day (or hour) share the
 * fee by their impressions: each point of the day is rounded down once. Without impressions the first
 * row gets all of it, and a day without rows gets one without these dimensions. The rows are read with
 * one scan: Postgres cannot know how many days are earned, and would look up each of them.
 */
export const feeRows = ({ groupBy, filters, rollUps }: ReportQuestion): string | undefined => {
  const rollUp = rollUps.find(({ of }) => of === 'hits');
  if (!rollUp) return undefined;
  const named: readonly DimensionName[] = [...groupBy, ...filters.map(({ dimension }) => dimension)];
  const byHour = rollUp.keys.includes('hour');
  const time = byHour ? 'day, hour' : 'day';
  const isDivided = named.some((name) => dimensionOf(name).in.hits?.needs.some((key) => !OF_LINE_ITEM.includes(key)));
  const parts = rollUp.keys.filter((key) => !OF_LINE_ITEM.includes(key));
  const narrowed = filters
    .flatMap(({ dimension }) => (dimension in FLAT_FILTERS ? [FLAT_FILTERS[dimension as keyof typeof FLAT_FILTERS]] : []))
    .map((condition) => `and ${condition}`)
    .join(' ');
  const earned = `
    flat as (
      select l.id as line_item_id, l.campaign_id, ca.publisher_id, p.time_zone as zone, l.budget_micros::numeric as fee,
             floor(extract(epoch from l.start_at) * 1000) as start_ms, floor(extract(epoch from l.end_at) * 1000) as end_ms,
             greatest(:from::date, (l.start_at at time zone p.time_zone)::date) as first_day,
             least(:to::date, (l.end_at at time zone p.time_zone)::date) as last_day
      from line_items l join campaigns ca on ca.id = l.campaign_id join publishers p on p.id = ca.publisher_id
      where l.type = 'direct' and lower(l.budget_type) = 'flat' and l.budget_micros > 0
        and isfinite(l.start_at) and isfinite(l.end_at) and l.start_at < l.end_at ${narrowed}
    ), slots as (
      ${byHour ? HOURS : DAYS}
    ), earned as materialized (
      select ${time}, publisher_id, campaign_id, line_item_id,
             div(fee * (least(until_ms, end_ms) - start_ms), end_ms - start_ms)
               - div(fee * (greatest(from_ms, start_ms) - start_ms), end_ms - start_ms) as fee
      from slots where until_ms > start_ms and from_ms < end_ms
    )`;
  if (!isDivided)
    return `${earned}, fee_rows as (select *, '' as reason${parts.map((key) => `, ${ABSENT[key] ?? `''`} as ${key}`).join('')} from earned)`;
  const keys = `${time}, line_item_id`;
  const columns = parts.join(', ');
  return `${earned}, weighed as (
      select ${keys}, ${columns}, impressions, sum(impressions) over whole as whole, sum(impressions) over sofar as upto,
             row_number() over sofar as nth
      from ${rollUp.table}
      where day between :from::date and :to::date and reason = '' and exists (select from earned)
        and line_item_id = any (array(select line_item_id from flat))
      window whole as (partition by ${keys}), sofar as (partition by ${keys} order by ${columns} rows unbounded preceding)
    ), fee_rows as (
      select ${time}, publisher_id, campaign_id, line_item_id, '' as reason, ${columns},
             case when whole > 0 then div(fee * upto, whole) - div(fee * (upto - impressions), whole)
                  when coalesce(nth, 1) = 1 then fee else 0 end as fee
      from earned left join weighed using (${keys})
    )`;
};

const msOf = (moment: string): string => `floor(extract(epoch from ${moment}) * 1000)`;

const DAYS = `
  select flat.*, d::date as day, ${msOf('(d at time zone zone)')} as from_ms, ${msOf(`((d + interval '1 day') at time zone zone)`)} as until_ms
  from flat, generate_series(first_day::timestamp, last_day::timestamp, interval '1 day') as d`;

/** From each day's beginning, which is a full hour of every publisher; a day may have 23 or 25. */
const HOURS = `
  select flat.*, (h at time zone zone)::date as day, h as hour, ${msOf('h')} as from_ms, ${msOf('h')} + 3600000 as until_ms
  from flat, generate_series(first_day::timestamp at time zone zone,
                             ((last_day + 1)::timestamp at time zone zone) - interval '1 second', interval '1 hour') as h`;

/** Of a row that has no creative. */
const ABSENT: Partial<Readonly<Record<RollUpKey, string>>> = { creative_id: 'null::int' };

/** Filters that leave out whole line items before their days are made. */
const FLAT_FILTERS = {
  publisher: 'ca.publisher_id = any(:filter_publisher::int[])',
  advertiser: 'ca.advertiser_id = any(:filter_advertiser::int[])',
  campaign: 'l.campaign_id = any(:filter_campaign::int[])',
  line_item: 'l.id = any(:filter_line_item::int[])',
} as const;
