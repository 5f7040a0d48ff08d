import { SECONDS_PER_HOUR } from '../base/utc-day.ts';
import type { RollUp, RollUpKey } from '../events/postgres/roll-ups.ts';
import { dimensionOf, type DimensionName } from './report-dimensions.ts';
import type { ReportQuestion } from './report-question.ts';

/** The keys by which a fee is known without dividing it. */
const OF_LINE_ITEM: readonly RollUpKey[] = ['day', 'hour', 'publisher_id', 'campaign_id', 'advertiser_id', 'line_item_id', 'reason'];

/**
 * SQL: the members of a WITH that end in `fee_rows`, what Flat line items earn, with those columns of the
 * roll-up that the report reads. A fee is earned evenly over the flight, as it is now, whether or not
 * ads are delivered. Each point of a flight is rounded down once, so the days of a flight sum to the
 * fee, to the micro; the days are those of the publisher. Each advertiser pays what is earned while the campaign names it.
 *
 * Where a report has dimensions that a line item does not have, its rows of a day (or hour) share the
 * fee by their impressions: each point of the day is rounded down once. Without impressions the first
 * row gets all of it, and a day without rows gets one without these dimensions. Rows that the report
 * does not tell apart are neighbours in the order of the keys: they are summed before the fee is shared,
 * which gives them the same micros as they get one by one.
 */
export const feeRows = ({ groupBy, filters, rollUps }: ReportQuestion): string | undefined => {
  const rollUp = rollUps.find(({ of }) => of === 'hits');
  if (!rollUp) return undefined;
  const byHour = rollUp.keys.includes('hour');
  const time = byHour ? 'day, hour' : 'day';
  const columns = partsOf(rollUp, [...groupBy, ...filters.map(({ dimension }) => dimension)]).join(', ');
  const narrowed = filters
    .flatMap(({ dimension }) => (dimension in FLAT_FILTERS ? [FLAT_FILTERS[dimension as keyof typeof FLAT_FILTERS]] : []))
    .map((condition) => `and ${condition}`)
    .join(' ');
  const earned = `
    flat as materialized (
      select ${FLAT}, p.time_zone as zone,
             greatest(:from::date, (l.start_at at time zone p.time_zone)::date) as first_day,
             least(:to::date, (l.end_at at time zone p.time_zone)::date) as last_day
      from line_items l join campaigns ca on ca.id = l.campaign_id join publishers p on p.id = ca.publisher_id ${JOIN_PAYERS}
      where ${HAS_FEE} ${narrowed}
    ), slots as (
      ${byHour ? HOURS : DAYS}
    ), earned as materialized (
      select ${time}, publisher_id, campaign_id, advertiser_id, line_item_id,
             (${earnedBy(paidUntil('until_s'))} - ${earnedBy(paidFrom('from_s'))})::bigint as fee
      from slots where ${paidFrom('from_s')} < ${paidUntil('until_s')}
    )`;
  if (columns === '') return `${earned}, fee_rows as (select *, '' as reason from earned)`;
  const keys = `${time}, line_item_id`;
  return `${earned}, shares as (
      select ${keys}, ${columns}, sum_bigint(impressions) as impressions
      from ${rollUp.table}
      where day between :from::date and :to::date and reason = '' and campaign_id = any (array(select campaign_id from flat))
        and ${IS_FLAT}
      group by ${keys}, ${columns}
    ), weighed as (
      select *, sum_bigint(impressions) over whole as whole, sum_bigint(impressions) over sofar as upto, row_number() over sofar as nth
      from shares
      window whole as (partition by ${keys}), sofar as (partition by ${keys} order by ${columns} rows unbounded preceding)
    ), fee_rows as (
      select ${time}, publisher_id, campaign_id, advertiser_id, line_item_id, '' as reason, ${columns},
             case when whole > 0 then ${shareOf('upto')} - ${shareOf('upto - impressions')}
                  when coalesce(nth, 1) = 1 then fee else 0 end as fee
      from earned left join weighed using (${keys})
    )`;
};

/** The keys that a report reads and a line item does not have, and those before them, by which rows are neighbours. */
const partsOf = ({ keys }: RollUp, named: readonly DimensionName[]): readonly RollUpKey[] => {
  const needed = new Set(named.flatMap((name) => dimensionOf(name).in.hits?.needs ?? []));
  const parts = keys.filter((key) => !OF_LINE_ITEM.includes(key));
  return parts.slice(0, parts.findLastIndex((key) => needed.has(key)) + 1);
};

/** The keys of the roll-up of hits that fees are shared by; none where they are not shared. */
export const sharedBy = ({ groupBy, filters, rollUps }: ReportQuestion): readonly RollUpKey[] => {
  const rollUp = rollUps.find(({ of }) => of === 'hits');
  const parts = rollUp ? partsOf(rollUp, [...groupBy, ...filters.map(({ dimension }) => dimension)]) : [];
  if (!rollUp || parts.length === 0) return [];
  return [...rollUp.keys.filter((key) => key === 'day' || key === 'hour'), 'campaign_id', 'line_item_id', ...parts];
};

/**
 * SQL: whether a line item `l` earns a fee. For `ilike` and the ends Postgres reads its statistics: with `lower` and
 * `isfinite` it expects one line item, and sorts what it should hash.
 */
export const HAS_FEE = `l.type = 'direct' and l.budget_type ilike 'flat' and l.budget_micros > 0
        and l.start_at > '-infinity' and l.end_at < 'infinity' and l.start_at < l.end_at`;

const msOf = (moment: string): string => `floor(extract(epoch from ${moment}) * 1000)::bigint`;

const JOIN_PAYERS = 'left join campaign_payers payer on payer.campaign_id = l.campaign_id';
/** Beyond every flight, in seconds since the epoch. */
const EVER_S = 1e11;
const PAID = `coalesce(payer.advertiser_id, 0) as advertiser_id,
             case when payer.since > l.start_at then floor(extract(epoch from payer.since))::bigint else -${EVER_S} end as paid_from_s,
             case when payer.until < l.end_at then floor(extract(epoch from payer.until))::bigint else ${EVER_S} end as paid_until_s`;
const paidFrom = (second: string): string => `greatest(${second}, paid_from_s)`;
const paidUntil = (second: string): string => `least(${second}, paid_until_s)`;

/** What a fee is computed from, of a line item `l` of a campaign `ca`. */
const FLAT = `l.id as line_item_id, l.campaign_id, ca.publisher_id, l.budget_micros::numeric as fee,
             ${msOf('l.start_at')} as start_ms, ${msOf('l.end_at')} as end_ms, ${PAID}`;

/**
 * SQL: what the fees of each campaign of `:publisher_id` earn from each advertiser between the moments `:begins_at` and `:to_date`,
 * `earned`, and from there to `:ends_at`, `to_come`, in micros. With the midnights of a day or a month
 * it is what a report has for them.
 */
export const feesOfCampaigns = (): string => `
  select campaign_id, advertiser_id, sum(${earnedWithin('begins_s', 'to_date_s')})::bigint as earned,
         sum(${earnedWithin('to_date_s', 'ends_s')})::bigint as to_come
  from (select ${FLAT}, ${secondsOf(':begins_at::timestamptz')} as begins_s, ${secondsOf(':to_date::timestamptz')} as to_date_s,
               ${secondsOf(':ends_at::timestamptz')} as ends_s
        from line_items l join campaigns ca on ca.id = l.campaign_id ${JOIN_PAYERS}
        where ${HAS_FEE} and ca.publisher_id = :publisher_id) flat
  group by campaign_id, advertiser_id`;

/** What an advertiser pays of a fee between two seconds: nothing where it does not pay between them. */
const earnedWithin = (from: string, until: string): string => `greatest(${earnedBy(paidUntil(until))} - ${earnedBy(paidFrom(from))}, 0)`;

/** What is earned of a fee by this second: 0 before the flight, all of it afterwards. */
const earnedBy = (second: string): string =>
  `div(fee * (least(greatest(${second} * 1000, start_ms), end_ms) - start_ms), end_ms - start_ms)`;

/**
 * `fee * part / whole`, rounded down, in integers of 64 bits, of which numeric takes five times as long. It is exact
 * while a line item has less than three thousand million impressions a day; above, Postgres refuses to multiply.
 */
const shareOf = (part: string): string => `(fee / whole * (${part}) + fee % whole * (${part}) / whole)`;

/** `is true` makes it a look-up in a hash. Without, Postgres may join by nested loops where it expects few line items. */
const IS_FLAT = '(line_item_id in (select line_item_id from flat)) is true';

/** Days and hours begin with a full second. */
const secondsOf = (moment: string): string => `date_part('epoch', ${moment})::bigint`;

const DAYS = `
  select flat.*, day, ${secondsOf('day::timestamp at time zone zone')} as from_s, ${secondsOf('(day + 1)::timestamp at time zone zone')} as until_s
  from flat, generate_series(0, last_day - first_day) as n, lateral (select first_day + n as day) days`;

/** From each day's beginning, which is a full hour of every publisher; a day may have 23 or 25. */
const HOURS = `
  select flat.*, (hour at time zone zone)::date as day, hour, ${secondsOf('hour')} as from_s, ${secondsOf('hour')} + ${SECONDS_PER_HOUR} as until_s
  from flat, generate_series(first_day::timestamp at time zone zone,
                             ((last_day + 1)::timestamp at time zone zone) - interval '1 second', interval '1 hour') as hour`;

/** Filters that leave out whole line items before their days are made. */
const FLAT_FILTERS = {
  publisher: 'ca.publisher_id = any(:filter_publisher::int[])',
  advertiser: `payer.advertiser_id = any(:filter_advertiser::int[])`,
  campaign: 'l.campaign_id = any(:filter_campaign::int[])',
  line_item: 'l.id = any(:filter_line_item::int[])',
} as const;
