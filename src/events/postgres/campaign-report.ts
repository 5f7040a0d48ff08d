import type { Knex } from 'knex';

/** The counts that a report sums: each with its column of daily_counts. */
const SUMMED = { serves: 'serves', impressions: 'impressions', clicks: 'clicks', spendMicros: 'spend_micros' } as const;

/** Money in micro-dollars. */
export interface ReportCounts extends Readonly<Record<keyof typeof SUMMED, number>> {
  /** Custom events by event type. */
  readonly events: Readonly<Record<string, number>>;
  /** Filtered hits by `filteredName` (ledger/hit.ts). */
  readonly filtered: Readonly<Record<string, number>>;
}

/** Counts of one UTC day, line item and creative. */
export interface StoredReportRow extends ReportCounts {
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly lineItemId: number;
  /** null: the line item has been deleted. */
  readonly lineItem: string | null;
  /** null: what a Flat line item earned on a day without delivery. */
  readonly creativeId: number | null;
}

/** The sums of all rows. */
export interface ReportTotals extends ReportCounts {
  /** How many rows there are. */
  readonly rows: number;
  /** The part of the spend that Flat line items earn by their fees. */
  readonly feeMicros: number;
}

export interface ReportQuestion {
  readonly campaignId: number;
  /** First and last UTC day, both included: YYYY-MM-DD. */
  readonly from: string;
  readonly to: string;
}

const EVENTS = `
  from event_counts
  where day between :from::date and :to::date and line_item_id in (
    select id from line_items where campaign_id = :campaignId
    union select line_item_id from daily_counts where campaign_id = :campaignId)`;

const FILTERED = `
  from filtered_counts where campaign_id = :campaignId and day between :from::date and :to::date and count > 0`;

/**
 * The rows of a report. Custom events alone create no row of daily_counts, hence the full joins. The
 * counts are updated in the transaction that stores the events.
 *
 * A fee is earned evenly over the flight, whether or not ads are delivered; a day that is only partly
 * in the flight earns its part. The creatives of a day share it by their impressions, so they have the
 * same eCPM; without impressions the first gets all of it, and a day without rows gets one. Each point
 * of a flight and of a day is rounded down once, so the days of a flight sum to the fee, to the micro.
 * Infinite and empty flights are those of rows that a load sets aside.
 */
const REPORT = `
  with counts as (
    select day, line_item_id, creative_id, ${Object.values(SUMMED)
      .map((column) => `sum(${column}) as ${column}`)
      .join(', ')}
    from daily_counts where campaign_id = :campaignId and day between :from::date and :to::date group by 1, 2, 3
  ), tallied as (
    select day, line_item_id, creative_id, jsonb_object_agg(event_type, count order by event_type) as events ${EVENTS} group by 1, 2, 3
  ), refused as (
    select day, line_item_id, creative_id, jsonb_object_agg(name, count order by name) as filtered
    from (select day, line_item_id, creative_id, kind || '_' || reason as name, sum(count) as count ${FILTERED} group by 1, 2, 3, 4) by_name
    group by 1, 2, 3
  ), flat as (
    select id, budget_micros::numeric as fee, floor(extract(epoch from start_at) * 1000) as start_ms, floor(extract(epoch from end_at) * 1000) as end_ms
    from line_items
    where campaign_id = :campaignId and type = 'direct' and lower(budget_type) = 'flat' and budget_micros > 0
      and isfinite(start_at) and isfinite(end_at) and start_at < end_at
  ), earned as (
    select date '1970-01-01' + n::integer as day, id as line_item_id,
           div(fee * (least((n + 1) * 86400000, end_ms) - start_ms), end_ms - start_ms)
             - div(fee * (greatest(n * 86400000, start_ms) - start_ms), end_ms - start_ms) as fee
    from flat, generate_series(greatest(:from::date - date '1970-01-01', floor(start_ms / 86400000)),
                               least(:to::date - date '1970-01-01', floor((end_ms - 1) / 86400000))) as n
  ), joined as (
    select day, line_item_id, creative_id, ${Object.values(SUMMED)
      .map((column) => `coalesce(${column}, 0) as ${column}`)
      .join(', ')},
           coalesce(events, '{}') as events, coalesce(filtered, '{}') as filtered, coalesce(fee, 0) as fee
    from counts full join tallied using (day, line_item_id, creative_id) full join refused using (day, line_item_id, creative_id)
    full join earned using (day, line_item_id)
  ), weighed as (
    select *, sum(impressions) over (partition by day, line_item_id) as whole, sum(impressions) over sofar as upto,
           row_number() over sofar as nth
    from joined window sofar as (partition by day, line_item_id order by creative_id rows unbounded preceding)
  ), report as (
    select *, case when whole > 0 then div(fee * upto, whole) - div(fee * (upto - impressions), whole) when nth = 1 then fee else 0 end as part
    from weighed
  )`;

const COLUMNS = Object.entries({ ...SUMMED, spendMicros: 'spend_micros + part' });

const ROWS = `${REPORT}
  select to_char(day, 'YYYY-MM-DD') as date, line_item_id as "lineItemId", line_items.name as "lineItem", creative_id as "creativeId",
         ${COLUMNS.map(([field, column]) => `${column} as "${field}"`).join(', ')}, events, filtered
  from report left join line_items on line_items.id = line_item_id
  order by day, line_item_id, creative_id nulls first limit :limit offset :offset`;

const TOTALS = `${REPORT}
  select ${COLUMNS.map(([field, column]) => `coalesce(sum(${column}), 0) as "${field}"`).join(', ')},
         count(*) as rows, coalesce(sum(part), 0) as "feeMicros",
         (select coalesce(jsonb_object_agg(event_type, count order by event_type), '{}')
          from (select event_type, sum(count) as count ${EVENTS} group by 1) by_type) as events,
         (select coalesce(jsonb_object_agg(name, count order by name), '{}')
          from (select kind || '_' || reason as name, sum(count) as count ${FILTERED} group by 1) by_name) as filtered
  from report`;

/**
 * A page of the days × line items × creatives of one campaign, in this order; the fees of its Flat
 * line items, as they are now, are part of the spend. Rejects when Postgres is unavailable.
 */
export const readReportRows = async (
  knex: Knex,
  question: ReportQuestion,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<readonly StoredReportRow[]> => {
  const { rows } = await knex.raw<{ rows: StoredReportRow[] }>(ROWS, { ...question, limit, offset });
  return rows.map((row) => ({ ...row, ...countsOf(row) }));
};

/** @returns undefined when the campaign does not exist and has never delivered */
export const readReportTotals = async (knex: Knex, question: ReportQuestion): Promise<ReportTotals | undefined> => {
  const { rows } = await knex.raw<{ rows: [ReportTotals] }>(TOTALS, { ...question });
  const [totals] = rows;
  if (Number(totals.rows) === 0 && !(await isKnown(knex, question.campaignId))) return undefined;
  return { ...totals, ...countsOf(totals), rows: Number(totals.rows), feeMicros: Number(totals.feeMicros) };
};

/** Postgres returns bigint and numeric as text. */
const countsOf = (row: ReportCounts): Omit<ReportCounts, 'events' | 'filtered'> => {
  const fields = Object.keys(SUMMED) as (keyof typeof SUMMED)[];
  return Object.fromEntries(fields.map((field) => [field, Number(row[field])])) as unknown as Omit<ReportCounts, 'events' | 'filtered'>;
};

const isKnown = async (knex: Knex, campaignId: number): Promise<boolean> =>
  (await knex('campaigns').where({ id: campaignId }).first('id')) !== undefined ||
  (await knex('daily_counts').where({ campaign_id: campaignId }).first('campaign_id')) !== undefined;
