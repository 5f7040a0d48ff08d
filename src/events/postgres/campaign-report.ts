import type { Knex } from 'knex';

/** The counts that a report sums: each with its column of daily_counts. */
const SUMMED = { serves: 'serves', impressions: 'impressions', clicks: 'clicks', spendMicros: 'spend_micros' } as const;

/** Money in micro-dollars. */
export interface ReportCounts extends Readonly<Record<keyof typeof SUMMED, number>> {
  /** Custom events by event type. */
  readonly events: Readonly<Record<string, number>>;
}

/** Counts of one UTC day, line item and creative. */
export interface StoredReportRow extends ReportCounts {
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly lineItemId: number;
  /** null: the line item has been deleted. */
  readonly lineItem: string | null;
  readonly creativeId: number;
}

export interface ReportQuestion {
  readonly campaignId: number;
  /** First and last UTC day, both included: YYYY-MM-DD. */
  readonly from: string;
  readonly to: string;
}

/**
 * Custom events alone create no row of daily_counts, hence the full join. The counts are updated in
 * the transaction that stores the events.
 */
const REPORT = `
  with counts as (
    select day, line_item_id, creative_id, ${Object.values(SUMMED)
      .map((column) => `sum(${column}) as ${column}`)
      .join(', ')}
    from daily_counts where campaign_id = :campaignId and day between :from::date and :to::date group by 1, 2, 3
  ), tallied as (
    select day, line_item_id, creative_id, jsonb_object_agg(event_type, count order by event_type) as events
    from event_counts
    where day between :from::date and :to::date and line_item_id in (
      select id from line_items where campaign_id = :campaignId
      union select line_item_id from daily_counts where campaign_id = :campaignId)
    group by 1, 2, 3
  )
  select to_char(day, 'YYYY-MM-DD') as date, line_item_id as "lineItemId", line_items.name as "lineItem", creative_id as "creativeId",
         ${Object.entries(SUMMED)
           .map(([field, column]) => `coalesce(${column}, 0) as "${field}"`)
           .join(', ')},
         coalesce(events, '{}') as events
  from counts full join tallied using (day, line_item_id, creative_id)
  left join line_items on line_items.id = line_item_id
  order by 1, 2, 4`;

/**
 * Days × line items × creatives of one campaign. Rejects when Postgres is unavailable.
 *
 * @returns undefined when the campaign does not exist and has never delivered
 */
export const readCampaignReport = async (knex: Knex, question: ReportQuestion): Promise<readonly StoredReportRow[] | undefined> => {
  const { rows } = await knex.raw<{ rows: StoredReportRow[] }>(REPORT, { ...question });
  if (rows.length === 0 && !(await isKnown(knex, question.campaignId))) return undefined;
  // Postgres returns bigint as text.
  return rows.map((row) => ({ ...row, ...mapCounts((field) => Number(row[field])) }));
};

/** The totals of a report. */
export const sumCounts = (rows: readonly ReportCounts[]): ReportCounts => {
  const events: Record<string, number> = {};
  for (const row of rows) {
    for (const [type, count] of Object.entries(row.events)) events[type] = (events[type] ?? 0) + count;
  }
  return { ...mapCounts((field) => rows.reduce((sum, row) => sum + row[field], 0)), events };
};

const mapCounts = (read: (field: keyof typeof SUMMED) => number): Omit<ReportCounts, 'events'> => {
  const fields = Object.keys(SUMMED) as (keyof typeof SUMMED)[];
  return Object.fromEntries(fields.map((field) => [field, read(field)])) as unknown as Omit<ReportCounts, 'events'>;
};

const isKnown = async (knex: Knex, campaignId: number): Promise<boolean> =>
  (await knex('campaigns').where({ id: campaignId }).first('id')) !== undefined ||
  (await knex('daily_counts').where({ campaign_id: campaignId }).first('campaign_id')) !== undefined;
