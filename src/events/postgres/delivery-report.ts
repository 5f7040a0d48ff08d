import type { Knex } from 'knex';
import { MS_PER_DAY } from '../../base/utc-day.ts';
import { nameOrLast } from './gone-names.ts';

/** The counts that a report sums: each with its column of daily_counts. */
const SUMMED = { serves: 'serves', impressions: 'impressions', clicks: 'clicks', spendMicros: 'spend_micros' } as const;

/** Money in micros of the currency that the campaigns share. */
export interface ReportCounts extends Readonly<Record<keyof typeof SUMMED, number>> {
  /** Custom events by event type. */
  readonly events: Readonly<Record<string, number>>;
  /** Filtered hits by `filteredName` (ledger/hit.ts). */
  readonly filtered: Readonly<Record<string, number>>;
}

/** Counts of one day of the publisher, line item and creative. */
export interface CreativeDay extends ReportCounts {
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly lineItemId: number;
  /** null: deleted before names were kept. */
  readonly lineItem: string | null;
  /** null: what a Flat line item earned on a day without delivery. */
  readonly creativeId: number | null;
}

/** Counts of one day of its publisher and campaign. */
export interface CampaignDay extends ReportCounts {
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly campaignId: number;
  /** null: deleted before names were kept. */
  readonly campaign: string | null;
}

/** The sums of all rows. */
export interface ReportTotals extends ReportCounts {
  /** How many rows there are. */
  readonly rows: number;
  /** The part of the spend that Flat line items earn by their fees. */
  readonly feeMicros: number;
}

export interface ReportQuestion {
  readonly campaignIds: readonly number[];
  /** Only what this advertiser pays; undefined: whoever pays. */
  readonly advertiserId?: number | undefined;
  /** First and last day, both included: YYYY-MM-DD. */
  readonly from: string;
  readonly to: string;
}

const DAYS = 'day between :from::date and :to::date';
/** As PAYER (payers.ts), as a condition. */
const PAID = `(cast(:advertiserId as int) is null or advertiser_id = :advertiserId or (advertiser_id = 0 and campaign_id in (
  select campaign_id from campaign_payers where since = '-infinity' and advertiser_id = :advertiserId)))`;
const FILTERED = `from filtered_counts where campaign_id = any(:campaignIds) and ${DAYS} and ${PAID} and count > 0`;
const EVENTS = `from event_counts join items using (line_item_id) where ${DAYS} and ${PAID}`;

const countsBy = (keys: string): string => `
  select ${keys}, ${Object.values(SUMMED)
    .map((column) => `sum(${column}) as ${column}`)
    .join(', ')}
  from daily_counts where campaign_id = any(:campaignIds) and ${DAYS} and ${PAID} group by ${keys}`;

const eventsBy = (keys: string): string => `
  select ${keys}, jsonb_object_agg(event_type, count order by event_type) as events
  from (select ${keys}, event_type, sum(count) as count ${EVENTS} group by ${keys}, event_type) by_type group by ${keys}`;

const filteredBy = (keys: string): string => `
  select ${keys}, jsonb_object_agg(name, count order by name) as filtered
  from (select ${keys}, kind || '_' || reason as name, sum(count) as count ${FILTERED} group by ${keys}, name) by_name group by ${keys}`;

const COUNTED = `${Object.values(SUMMED)
  .map((column) => `coalesce(${column}, 0) as ${column}`)
  .join(', ')}, coalesce(events, '{}') as events, coalesce(filtered, '{}') as filtered`;

/**
 * The line items of the campaigns, and what their fees earn by day. A fee is earned evenly over the
 * flight, whether or not ads are delivered; a day that is only partly in the flight earns its part.
 * Each point of a flight is rounded down once, so the days of a flight sum to the fee, to the micro.
 * Infinite and empty flights are those of rows that a load sets aside. An advertiser pays what is earned while the
 * campaign names it.
 */
const FEES = `
  with items as (
    select line_item_id, min(campaign_id) as campaign_id
    from (select id as line_item_id, campaign_id from line_items where campaign_id = any(:campaignIds)
          union select line_item_id, campaign_id from daily_counts where campaign_id = any(:campaignIds)) known
    group by 1
  ), flat as (
    select *, greatest(start_ms, coalesce(paid_from_ms, start_ms)) as from_ms, least(end_ms, coalesce(paid_until_ms, end_ms)) as until_ms
    from (
      select id, l.campaign_id, budget_micros::numeric as fee,
             floor(extract(epoch from start_at) * 1000) as start_ms, floor(extract(epoch from end_at) * 1000) as end_ms,
             case when since > start_at then floor(extract(epoch from since)) * 1000 end as paid_from_ms,
             case when until < end_at then floor(extract(epoch from until)) * 1000 end as paid_until_ms
      from line_items l left join campaign_payers p on p.campaign_id = l.campaign_id and p.advertiser_id = :advertiserId
      where l.campaign_id = any(:campaignIds) and (cast(:advertiserId as int) is null or p.advertiser_id is not null)
        and type = 'direct' and lower(budget_type) = 'flat' and budget_micros > 0
        and isfinite(start_at) and isfinite(end_at) and start_at < end_at
    ) paid
  ), earned as (
    select date '1970-01-01' + n::integer as day, id as line_item_id, campaign_id,
           sum(div(fee * (least((n + 1) * ${MS_PER_DAY}, until_ms) - start_ms), end_ms - start_ms)
             - div(fee * (greatest(n * ${MS_PER_DAY}, from_ms) - start_ms), end_ms - start_ms)) as fee
    from flat, generate_series(greatest(:from::date - date '1970-01-01', floor(from_ms / ${MS_PER_DAY})),
                               least(:to::date - date '1970-01-01', floor((until_ms - 1) / ${MS_PER_DAY}))) as n
    where from_ms < until_ms
    group by n, id, campaign_id
  )`;

const OF_CREATIVE = 'day, line_item_id, creative_id';
const OF_CAMPAIGN = 'day, campaign_id';

/**
 * The rows of each report, with `part`, what they earn by fees. Custom events alone create no row of
 * daily_counts, hence the full joins. The counts are updated in the transaction that stores the events.
 *
 * The creatives of a day share a fee by their impressions, so they have the same eCPM; without
 * impressions the first gets all of it, and a day without rows gets one. Each point of a day is rounded
 * down once, as those of a flight.
 */
const GRAINS = {
  creative: {
    report: `${FEES}, joined as (
      select ${OF_CREATIVE}, ${COUNTED}, coalesce(fee, 0) as fee
      from (${countsBy(OF_CREATIVE)}) counts full join (${eventsBy(OF_CREATIVE)}) tallied using (${OF_CREATIVE})
      full join (${filteredBy(OF_CREATIVE)}) refused using (${OF_CREATIVE}) full join earned using (day, line_item_id)
    ), weighed as (
      select *, sum(impressions) over (partition by day, line_item_id) as whole, sum(impressions) over sofar as upto,
             row_number() over sofar as nth
      from joined window sofar as (partition by day, line_item_id order by creative_id rows unbounded preceding)
    ), report as (
      select *, case when whole > 0 then div(fee * upto, whole) - div(fee * (upto - impressions), whole) when nth = 1 then fee else 0 end as part
      from weighed
    )`,
    keys: `line_item_id as "lineItemId", ${nameOrLast('line_items', 'line_items', 'line_item_id')} as "lineItem", creative_id as "creativeId"`,
    names: 'line_items on line_items.id = line_item_id',
    order: 'day, line_item_id, creative_id nulls first',
  },
  campaign: {
    report: `${FEES}, report as (
      select ${OF_CAMPAIGN}, ${COUNTED}, coalesce(fee, 0) as part
      from (${countsBy(OF_CAMPAIGN)}) counts full join (${eventsBy(OF_CAMPAIGN)}) tallied using (${OF_CAMPAIGN})
      full join (${filteredBy(OF_CAMPAIGN)}) refused using (${OF_CAMPAIGN})
      full join (select ${OF_CAMPAIGN}, sum(fee) as fee from earned group by ${OF_CAMPAIGN}) fees using (${OF_CAMPAIGN})
    )`,
    keys: `campaign_id as "campaignId", ${nameOrLast('campaigns', 'campaigns', 'campaign_id')} as "campaign"`,
    names: 'campaigns on campaigns.id = campaign_id',
    order: OF_CAMPAIGN,
  },
} as const;

/** What a row of a report counts: one day, and a creative or a campaign. */
export interface ReportGrains {
  readonly creative: CreativeDay;
  readonly campaign: CampaignDay;
}

const SHOWN = Object.entries({ ...SUMMED, spendMicros: 'spend_micros + part' });

/**
 * A page of the rows of a report, by day and then by id; the fees of Flat line items, as they are now,
 * are part of the spend. Rejects when Postgres is unavailable.
 */
export const readReportRows = async <Grain extends keyof ReportGrains>(
  knex: Knex,
  grain: Grain,
  question: ReportQuestion,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<readonly ReportGrains[Grain][]> => {
  const { report, keys, names, order } = GRAINS[grain];
  const sql = `${report}
    select to_char(day, 'YYYY-MM-DD') as date, ${keys}, ${SHOWN.map(([field, column]) => `(${column})::float8 as "${field}"`).join(', ')}, events, filtered
    from report left join ${names} order by ${order} limit :limit offset :offset`;
  const { rows } = await knex.raw<{ rows: ReportGrains[Grain][] }>(sql, { ...bindingsOf(question), limit, offset });
  return rows;
};

export const readReportTotals = async (knex: Knex, grain: keyof ReportGrains, question: ReportQuestion): Promise<ReportTotals> => {
  const sql = `${GRAINS[grain].report}
    select ${SHOWN.map(([field, column]) => `coalesce(sum(${column}), 0)::float8 as "${field}"`).join(', ')},
           count(*)::int as rows, coalesce(sum(part), 0)::float8 as "feeMicros",
           (select coalesce(jsonb_object_agg(event_type, count order by event_type), '{}')
            from (select event_type, sum(count) as count ${EVENTS} group by 1) by_type) as events,
           (select coalesce(jsonb_object_agg(name, count order by name), '{}')
            from (select kind || '_' || reason as name, sum(count) as count ${FILTERED} group by 1) by_name) as filtered
    from report`;
  const { rows } = await knex.raw<{ rows: [ReportTotals] }>(sql, bindingsOf(question));
  return rows[0];
};

const bindingsOf = ({ advertiserId, ...question }: ReportQuestion) => ({ ...question, advertiserId: advertiserId ?? null });
