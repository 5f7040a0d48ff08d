import type { Knex } from 'knex';
import { nameOrLast } from '../events/postgres/gone-names.ts';
import { JOIN_FIRST_PAYER, PAYER } from '../events/postgres/payers.ts';
import { feesOfCampaigns } from '../reports/fee-sql.ts';
import { SUMS } from '../reports/report-sums.ts';
import { FIRST_DAY, type FinanceLine } from './finance-line.ts';

export type Figures = Omit<FinanceLine, 'ofMonth' | 'amountMicros' | 'currency'>;

/** Hits of the days of the month, as reports count them; a hit keeps the day, and who pays for it, of the moment when it was stored. */
const EARNED = `
  with hits as (
    select r.campaign_id, ${PAYER} as advertiser_id, coalesce(${SUMS.impressions.sql}, 0) as impressions, coalesce(${SUMS.clicks.sql}, 0) as clicks,
           coalesce(${SUMS.spend.sql}, 0) as spend
    from report_days r ${JOIN_FIRST_PAYER}
    where r.publisher_id = :publisher_id and r.day >= :first::date and r.day < :first::date + interval '1 month'
    group by 1, 2
  ), fees as (${feesOfCampaigns()}), figures as (
    select campaign_id, advertiser_id, coalesce(impressions, 0) as impressions, coalesce(clicks, 0) as clicks,
           coalesce(spend, 0) + coalesce(earned, 0) as revenue, coalesce(to_come, 0) as to_come
    from hits full join fees using (campaign_id, advertiser_id)
  )
  select f.campaign_id as "campaignId", ${nameOrLast('campaigns', 'ca', 'f.campaign_id')} as campaign,
         case when f.advertiser_id > 0 then f.advertiser_id end as "advertiserId",
         case when f.advertiser_id > 0 then ${nameOrLast('advertisers', 'a', 'f.advertiser_id')} end as advertiser,
         f.impressions::float8, f.clicks::float8, f.revenue::float8 as "revenueMicros", f.to_come::float8 as "feeToComeMicros"
  from figures f left join campaigns ca on ca.id = f.campaign_id left join advertisers a on a.id = f.advertiser_id
  where f.impressions <> 0 or f.clicks <> 0 or f.revenue <> 0 or f.to_come <> 0
  order by f.campaign_id, f.advertiser_id`;

export interface MonthSpan {
  /** YYYY-MM: of hits. */
  readonly month: string;
  /** Of fees. */
  readonly beginsAt: Date;
  readonly endsAt: Date;
  /** Between the two: fees up to here are earned, later ones are to come. */
  readonly toDate: Date;
}

/** What the campaigns of a publisher earned in a month from each who paid for them, as reports have it now: net, with the fees of Flat line items. */
export const earnedIn = async (
  trx: Knex.Transaction,
  publisherId: number,
  { month, beginsAt, endsAt, toDate }: MonthSpan,
): Promise<readonly Figures[]> => {
  const { rows } = await trx.raw<{ rows: Figures[] }>(EARNED, {
    ...{ publisher_id: publisherId, first: month + FIRST_DAY, begins_at: beginsAt, ends_at: endsAt, to_date: toDate },
  });
  return rows;
};
