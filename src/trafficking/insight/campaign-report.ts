import type { Knex } from 'knex';
import { usdFromMicros } from '../../catalog/model/money.ts';
import type { CampaignReport, ReportFigures } from './report.ts';

export interface ReportQuestion {
  readonly campaignId: number;
  /** UTC days, both included: YYYY-MM-DD. */
  readonly from: string;
  readonly to: string;
}

interface StoredRow {
  readonly day: string;
  readonly line_item_id: number;
  readonly name: string | null;
  readonly creative_id: number;
  readonly serves: string;
  readonly impressions: string;
  readonly clicks: string;
  readonly spend_micros: string;
  readonly events: Readonly<Record<string, number>> | null;
}

/** The counts are kept in step with the event rows, in one transaction with them; a custom event alone has no row of daily counts, hence the full join. */
const REPORT = `
  with counts as (
    select day, line_item_id, creative_id, serves, impressions, clicks, spend_micros
    from daily_counts where campaign_id = :campaignId and day between :from::date and :to::date
  ), tallied as (
    select day, line_item_id, creative_id, jsonb_object_agg(event_type, count order by event_type) as events
    from event_counts
    where day between :from::date and :to::date and line_item_id in (
      select id from line_items where campaign_id = :campaignId
      union select line_item_id from daily_counts where campaign_id = :campaignId)
    group by 1, 2, 3
  )
  select to_char(day, 'YYYY-MM-DD') as day, line_item_id, line_items.name, creative_id, coalesce(serves, 0) as serves,
         coalesce(impressions, 0) as impressions, coalesce(clicks, 0) as clicks, coalesce(spend_micros, 0) as spend_micros, events
  from counts full join tallied using (day, line_item_id, creative_id)
  left join line_items on line_items.id = line_item_id
  order by 1, 2, 4`;

/** Days × line items × creatives. undefined: there is no such campaign, and never was one that delivered. */
export const readCampaignReport = async (knex: Knex, question: ReportQuestion): Promise<CampaignReport | undefined> => {
  const { campaignId, from, to } = question;
  const { rows } = await knex.raw<{ rows: StoredRow[] }>(REPORT, { ...question });
  if (rows.length === 0 && !(await isKnown(knex, campaignId))) return undefined;
  const counted = rows.map((row) => ({ row, ...countsOf(row) }));
  return {
    campaign_id: campaignId,
    from,
    to,
    rows: counted.map(({ row, ...counts }) => ({
      day: row.day,
      line_item_id: row.line_item_id,
      line_item: row.name,
      creative_id: row.creative_id,
      ...figuresOf(counts),
    })),
    totals: figuresOf(counted.reduce(add, NOTHING)),
  };
};

const isKnown = async (knex: Knex, campaignId: number): Promise<boolean> =>
  (await knex('campaigns').where({ id: campaignId }).first('id')) !== undefined ||
  (await knex('daily_counts').where({ campaign_id: campaignId }).first('campaign_id')) !== undefined;

interface Counts {
  readonly serves: number;
  readonly impressions: number;
  readonly clicks: number;
  readonly spendMicros: number;
  readonly events: Readonly<Record<string, number>>;
}

const NOTHING: Counts = { serves: 0, impressions: 0, clicks: 0, spendMicros: 0, events: {} };

const countsOf = ({ serves, impressions, clicks, spend_micros, events }: StoredRow): Counts => ({
  serves: Number(serves),
  impressions: Number(impressions),
  clicks: Number(clicks),
  spendMicros: Number(spend_micros),
  events: events ?? {},
});

const add = (sum: Counts, counts: Counts): Counts => {
  const events: Record<string, number> = { ...sum.events };
  for (const [type, count] of Object.entries(counts.events)) events[type] = (events[type] ?? 0) + count;
  return {
    serves: sum.serves + counts.serves,
    impressions: sum.impressions + counts.impressions,
    clicks: sum.clicks + counts.clicks,
    spendMicros: sum.spendMicros + counts.spendMicros,
    events,
  };
};

const figuresOf = ({ serves, impressions, clicks, spendMicros, events }: Counts): ReportFigures => ({
  serves,
  impressions,
  clicks,
  ctr: impressions === 0 ? 0 : clicks / impressions,
  events,
  spend: usdFromMicros(spendMicros),
  ecpm: impressions === 0 ? 0 : Math.round((spendMicros * 1000) / impressions) / 1e6,
});
