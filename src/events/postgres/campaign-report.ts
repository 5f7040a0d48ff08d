import type { Knex } from 'knex';
import { addFlatFees, type FlatFee } from '../flat-fees.ts';

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
  readonly campaignId: number;
  readonly lineItemId: number;
  /** null: the line item has been deleted. */
  readonly lineItem: string | null;
  /** null: what a Flat line item earned on a day without delivery. */
  readonly creativeId: number | null;
}

export interface ReportQuestion {
  readonly campaignIds: readonly number[];
  /** First and last UTC day, both included: YYYY-MM-DD. */
  readonly from: string;
  readonly to: string;
}

/**
 * Custom events alone create no row of daily_counts, hence the full join. The counts are updated in
 * the transaction that stores the events.
 */
const REPORT = `
  with items as (
    select id as line_item_id, campaign_id from line_items where campaign_id = any(:campaignIds)
    union select line_item_id, campaign_id from daily_counts where campaign_id = any(:campaignIds)
  ), counts as (
    select day, line_item_id, creative_id, ${Object.values(SUMMED)
      .map((column) => `sum(${column}) as ${column}`)
      .join(', ')}
    from daily_counts where campaign_id = any(:campaignIds) and day between :from::date and :to::date group by 1, 2, 3
  ), tallied as (
    select day, line_item_id, creative_id, jsonb_object_agg(event_type, count order by event_type) as events
    from event_counts
    where day between :from::date and :to::date and line_item_id in (select line_item_id from items)
    group by 1, 2, 3
  ), refused as (
    select day, line_item_id, creative_id, min(campaign_id) as campaign_id, jsonb_object_agg(name, count order by name) as filtered
    from (select campaign_id, day, line_item_id, creative_id, kind || '_' || reason as name, sum(count) as count
          from filtered_counts where campaign_id = any(:campaignIds) and day between :from::date and :to::date and count > 0
          group by 1, 2, 3, 4, 5) by_name
    group by 1, 2, 3
  )
  select to_char(day, 'YYYY-MM-DD') as date, coalesce(items.campaign_id, line_items.campaign_id, refused.campaign_id) as "campaignId",
         line_item_id as "lineItemId", line_items.name as "lineItem", creative_id as "creativeId",
         ${Object.entries(SUMMED)
           .map(([field, column]) => `coalesce(${column}, 0) as "${field}"`)
           .join(', ')},
         coalesce(events, '{}') as events, coalesce(filtered, '{}') as filtered
  from counts full join tallied using (day, line_item_id, creative_id) full join refused using (day, line_item_id, creative_id)
  left join items using (line_item_id)
  left join line_items on line_items.id = line_item_id
  order by 1, 3, 5`;

/** Infinite and empty flights are those of rows that a load sets aside. */
const FLAT_FEES = `
  select campaign_id as "campaignId", id as "lineItemId", name as "lineItem", budget_micros as "feeMicros", start_at as "startAt", end_at as "endAt"
  from line_items
  where campaign_id = any(:campaignIds) and type = 'direct' and lower(budget_type) = 'flat' and budget_micros > 0
    and isfinite(start_at) and isfinite(end_at) and start_at < end_at`;

/**
 * Days × line items × creatives of campaigns; the fees of their Flat line items, as they are now,
 * are part of the spend. Rejects when Postgres is unavailable.
 */
export const readReport = async (knex: Knex, question: ReportQuestion): Promise<readonly StoredReportRow[]> => {
  const { rows } = await knex.raw<{ rows: StoredReportRow[] }>(REPORT, { ...question });
  const fees = await readFlatFees(knex, question.campaignIds);
  // Postgres returns bigint as text.
  const counted = rows.map((row) => ({ ...row, ...mapCounts((field) => Number(row[field])) }));
  return addFlatFees(counted, fees, question, withoutDelivery);
};

/** The row of a day on which a Flat line item earned its fee alone. */
export const withoutDelivery = (date: string, { campaignId, lineItemId, lineItem }: FlatFee): StoredReportRow => ({
  ...{ date, campaignId, lineItemId, lineItem, creativeId: null },
  ...{ ...mapCounts(() => 0), events: {}, filtered: {} },
});

const readFlatFees = async (knex: Knex, campaignIds: readonly number[]): Promise<readonly FlatFee[]> => {
  const { rows } = await knex.raw<{
    rows: (Pick<FlatFee, 'campaignId' | 'lineItemId' | 'lineItem'> & {
      readonly feeMicros: string;
      readonly startAt: Date;
      readonly endAt: Date;
    })[];
  }>(FLAT_FEES, { campaignIds });
  return rows.map(({ campaignId, lineItemId, lineItem, feeMicros, startAt, endAt }) => ({
    ...{ campaignId, lineItemId, lineItem, feeMicros: Number(feeMicros) },
    ...{ startMs: startAt.getTime(), endMs: endAt.getTime() },
  }));
};

/** The totals of a report. */
export const sumCounts = (rows: readonly ReportCounts[]): ReportCounts => {
  const sumByName = (counts: (row: ReportCounts) => Readonly<Record<string, number>>): Record<string, number> => {
    const sums: Record<string, number> = {};
    for (const row of rows) for (const [name, count] of Object.entries(counts(row))) sums[name] = (sums[name] ?? 0) + count;
    return sums;
  };
  return {
    ...mapCounts((field) => rows.reduce((sum, row) => sum + row[field], 0)),
    events: sumByName(({ events }) => events),
    filtered: sumByName(({ filtered }) => filtered),
  };
};

const mapCounts = (read: (field: keyof typeof SUMMED) => number): Omit<ReportCounts, 'events' | 'filtered'> => {
  const fields = Object.keys(SUMMED) as (keyof typeof SUMMED)[];
  return Object.fromEntries(fields.map((field) => [field, read(field)])) as unknown as Omit<ReportCounts, 'events' | 'filtered'>;
};

/** Whether a campaign exists, or has delivered and been deleted since. */
export const isKnownCampaign = async (knex: Knex, campaignId: number): Promise<boolean> =>
  (await knex('campaigns').where({ id: campaignId }).first('id')) !== undefined ||
  (await knex('daily_counts').where({ campaign_id: campaignId }).first('campaign_id')) !== undefined;
