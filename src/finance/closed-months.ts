import type { Knex } from 'knex';
import { FIRST_DAY, type FinanceLine } from './finance-line.ts';

/** A month of a publisher as it was when it was closed. Nothing changes it any more. */
export interface ClosedMonth {
  /** YYYY-MM. */
  readonly month: string;
  /** YYYY-MM-DD. */
  readonly lastDay: string;
  /** The name of the publisher. */
  readonly publisher: string;
  readonly timeZone: string;
  /** Within these moments fees are those of the month. */
  readonly beginsAt: Date;
  readonly endsAt: Date;
  /** ISO 4217: of the revenue. */
  readonly revenueCurrency: string;
  /** Of the amounts, with its units for one of the revenue. */
  readonly currency: string;
  readonly rate: number;
  readonly at: Date;
  readonly by: string;
}

const ROWS_AT_ONCE = 1_000;

/** The closed months of a publisher, which may be deleted; the latest first. */
export const closedMonthsOf = async (trx: Knex.Transaction, publisherId: number): Promise<readonly ClosedMonth[]> => {
  const { rows } = await trx.raw<{ rows: ClosedMonth[] }>(
    `select to_char(month, 'YYYY-MM') as month, to_char(month + interval '1 month' - interval '1 day', 'YYYY-MM-DD') as "lastDay",
            publisher, time_zone as "timeZone", begins_at as "beginsAt", ends_at as "endsAt", revenue_currency as "revenueCurrency", currency, rate, closed_at as at, closed_by as by
     from finance_months where publisher_id = ? order by finance_months.month desc`,
    [publisherId],
  );
  return rows;
};

/** What was booked in a month, or for a month in all that were closed: by month of the figures, campaign and advertiser. */
export const storedLines = async (
  trx: Knex.Transaction,
  publisherId: number,
  asked: { readonly month: string } | { readonly ofMonth: string },
): Promise<readonly FinanceLine[]> => {
  const [column, month] = 'month' in asked ? ['month', asked.month] : ['of_month', asked.ofMonth];
  const { rows } = await trx.raw<{ rows: FinanceLine[] }>(
    `select to_char(l.of_month, 'YYYY-MM') as "ofMonth", l.campaign_id as "campaignId", max(l.campaign) as campaign,
            l.advertiser_id as "advertiserId", max(l.advertiser) as advertiser, sum(l.impressions)::float8 as impressions,
            sum(l.clicks)::float8 as clicks, sum(l.revenue_micros)::float8 as "revenueMicros", 0 as "feeToComeMicros",
            sum(l.amount_micros)::float8 as "amountMicros", max(of.currency) as currency
     from finance_lines l join finance_months of on of.publisher_id = l.publisher_id and of.month = l.of_month
     where l.publisher_id = :publisherId and l.${column} = :first::date
     group by l.of_month, l.campaign_id, l.advertiser_id order by l.of_month desc, l.campaign_id, l.advertiser_id nulls first`,
    { publisherId, first: month + FIRST_DAY },
  );
  return rows;
};

/** Books a month that is over, with its lines. */
export const storeMonth = async (
  trx: Knex.Transaction,
  publisherId: number,
  { month, publisher, timeZone, beginsAt, endsAt, revenueCurrency, currency, rate, by }: Omit<ClosedMonth, 'lastDay' | 'at'>,
  lines: readonly FinanceLine[],
): Promise<void> => {
  const of = { publisher_id: publisherId, month: month + FIRST_DAY };
  const span = { time_zone: timeZone, begins_at: beginsAt, ends_at: endsAt };
  await trx('finance_months').insert({ ...of, publisher, ...span, closed_by: by, revenue_currency: revenueCurrency, currency, rate });
  for (let i = 0; i < lines.length; i += ROWS_AT_ONCE)
    await trx('finance_lines').insert(lines.slice(i, i + ROWS_AT_ONCE).map((line) => ({ ...of, ...rowOf(line) })));
};

const rowOf = (line: FinanceLine) => ({
  ...{ of_month: line.ofMonth + FIRST_DAY, campaign_id: line.campaignId, campaign: line.campaign },
  ...{ advertiser_id: line.advertiserId, advertiser: line.advertiser, impressions: line.impressions, clicks: line.clicks },
  ...{ revenue_micros: line.revenueMicros, amount_micros: line.amountMicros },
});
