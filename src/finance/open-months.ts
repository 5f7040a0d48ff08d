import type { Knex } from 'knex';
import type { Ids } from '../access/scope.ts';
import { HAS_FEE } from '../reports/fee-sql.ts';
import type { ClosedMonth } from './closed-months.ts';
import { MAX_OPEN_MONTHS, type OpenMonthWire } from './finance-api.ts';
import { FIRST_DAY } from './finance-line.ts';

/** Those in which a publisher earned something, that are over and not closed. */
const OPEN_MONTHS = `
  with earned as (
    select distinct publisher_id, date_trunc('month', day) as month from report_days where reason = ''
    union
    select ca.publisher_id, months.month
    from line_items l join campaigns ca on ca.id = l.campaign_id join publishers p on p.id = ca.publisher_id,
         generate_series(date_trunc('month', l.start_at at time zone p.time_zone), least(l.end_at, now()) at time zone p.time_zone,
                         interval '1 month') as months (month)
    where ${HAS_FEE}
  )
  select p.id as publisher_id, p.name as publisher, to_char(earned.month, 'YYYY-MM') as month
  from earned join publishers p on p.id = earned.publisher_id
  where earned.month + interval '1 month' <= now() at time zone p.time_zone
    and (cast(:publishers as int[]) is null or p.id = any(cast(:publishers as int[])))
    and not exists (select from finance_months f where f.publisher_id = p.id and f.month = earned.month)
  order by earned.month, p.name, p.id limit ${MAX_OPEN_MONTHS}`;

/** Of these publishers, the earliest first; at most MAX_OPEN_MONTHS. null: of all. Rejects when Postgres is unavailable. */
export const readOpenMonths = async (knex: Knex, publishers: Ids): Promise<readonly OpenMonthWire[]> =>
  (await knex.raw<{ rows: OpenMonthWire[] }>(OPEN_MONTHS, { publishers } as Record<string, Knex.RawBinding>)).rows;

/** A month that is not closed, as the publisher is now. */
export interface PublisherMonth extends Pick<
  ClosedMonth,
  'month' | 'publisher' | 'timeZone' | 'revenueCurrency' | 'currency' | 'beginsAt' | 'endsAt'
> {
  /** The end of the month, or of today if that is earlier. */
  readonly toDate: Date;
  readonly through: string | null;
  readonly isOver: boolean;
}

/**
 * A month begins where the one before it was closed and ends where the one after it was, so that a change of
 * the zone leaves out no hour of a fee and counts none twice.
 */
export const openMonth = async (trx: Knex.Transaction, id: number, month: string): Promise<PublisherMonth | undefined> => {
  const { rows } = await trx.raw<{ rows: PublisherMonth[] }>(
    `with bounds as (
       select p.name, p.time_zone, p.currency as revenue_currency, coalesce(p.statement_currency, p.currency) as currency, (now() at time zone p.time_zone)::date as today,
              coalesce(before.ends_at, :first::timestamp at time zone p.time_zone) as begins_at,
              coalesce(after.begins_at, (:first::timestamp + interval '1 month') at time zone p.time_zone) as ends_at
       from publishers p
       left join finance_months before on before.publisher_id = p.id and before.month = :first::date - interval '1 month'
       left join finance_months after on after.publisher_id = p.id and after.month = :first::date + interval '1 month'
       where p.id = :id
     )
     select :month as month, name as publisher, time_zone as "timeZone", revenue_currency as "revenueCurrency", currency, begins_at as "beginsAt", ends_at as "endsAt",
            greatest(begins_at, least(ends_at, (today + 1)::timestamp at time zone time_zone)) as "toDate",
            case when today >= :first::date
              then to_char(least(today, :first::date + interval '1 month' - interval '1 day'), 'YYYY-MM-DD') end as through,
            now() >= ends_at as "isOver"
     from bounds`,
    { id, month, first: month + FIRST_DAY },
  );
  return rows[0];
};
