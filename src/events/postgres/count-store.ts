import type { Knex } from 'knex';
import { dateOfDay } from '../../base/utc-day.ts';

/** The daily counts of one line item ('l') or campaign ('c'). Money in micros. */
export interface CountedAccount {
  readonly publisherId: number;
  readonly kind: 'l' | 'c';
  readonly id: number;
  readonly serves: number;
  readonly impressions: number;
  readonly clicks: number;
  readonly spendMicros: number;
  readonly yesterdayServes: number;
  readonly yesterdayImpressions: number;
  readonly yesterdayClicks: number;
  readonly yesterdaySpendMicros: number;
  readonly totalImpressions: number;
  readonly totalSpendMicros: number;
}

/** Compares the daily counts with the event rows. Rejects when Postgres is unavailable. */
export interface CountStore {
  /**
   * Counts a day (since the epoch) from its event rows, and corrects the daily counts unless
   * `dryRun`. Resolves to how many differed.
   */
  rebuildDay(day: number, dryRun: boolean): Promise<number>;
  /** All accounts, with `today` in days since the epoch. */
  readAccounts(today: number): Promise<readonly CountedAccount[]>;
}

// Serves are not stored one by one, so theirs stay. Counts that already agree are not written.
const REBUILD_DAY = `
  with counted as (
    select day, publisher_id, campaign_id, line_item_id, creative_id, count(*) filter (where kind = 'impression') as impressions,
           count(*) filter (where kind = 'click') as clicks, sum(billed_micros) as spend_micros
    from events where day = ?::date and kind in ('impression', 'click') and invalid_reason <> 'prefetch'
    group by 1, 2, 3, 4, 5
  ), wrong as (
    select c.* from counted c left join daily_counts d using (day, line_item_id, creative_id, campaign_id, publisher_id)
    where (d.impressions, d.clicks, d.spend_micros) is distinct from (c.impressions, c.clicks, c.spend_micros::bigint)
  ), corrected as (
    insert into daily_counts (day, publisher_id, campaign_id, line_item_id, creative_id, impressions, clicks, spend_micros)
    select * from wrong where not ?
    on conflict (day, line_item_id, creative_id, campaign_id, publisher_id) do update set
      impressions = excluded.impressions, clicks = excluded.clicks, spend_micros = excluded.spend_micros
  )
  select count(*)::int as wrong from wrong`;

const READ_ACCOUNTS = `
  select publisher_id as "publisherId", kind, id,
    sum(serves) filter (where day = :today) as serves,
    sum(impressions) filter (where day = :today) as impressions,
    sum(clicks) filter (where day = :today) as clicks,
    sum(spend_micros) filter (where day = :today) as "spendMicros",
    sum(serves) filter (where day = :yesterday) as "yesterdayServes",
    sum(impressions) filter (where day = :yesterday) as "yesterdayImpressions",
    sum(clicks) filter (where day = :yesterday) as "yesterdayClicks",
    sum(spend_micros) filter (where day = :yesterday) as "yesterdaySpendMicros",
    sum(impressions) as "totalImpressions",
    sum(spend_micros) as "totalSpendMicros"
  from daily_counts cross join lateral (values ('l', line_item_id), ('c', campaign_id)) account (kind, id)
  group by publisher_id, kind, id`;

type AccountRow = Pick<CountedAccount, 'publisherId' | 'kind' | 'id'> & Readonly<Record<string, string | number | null>>;

export const createCountStore = ({ knex }: { readonly knex: Knex }): CountStore => ({
  rebuildDay: async (day, dryRun) => {
    const { rows } = await knex.raw<{ rows: { wrong: number }[] }>(REBUILD_DAY, [dateOfDay(day), dryRun]);
    return rows[0]?.wrong ?? 0;
  },
  readAccounts: async (today) => {
    const days = { today: dateOfDay(today), yesterday: dateOfDay(today - 1) };
    const { rows } = await knex.raw<{ rows: AccountRow[] }>(READ_ACCOUNTS, days);
    // Postgres sends sums as text, and null for a day without rows.
    return rows.map(({ publisherId, kind, id, ...sums }) => {
      const counts = Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, Number(sum ?? 0)]));
      return { publisherId, kind, id, ...counts } as unknown as CountedAccount;
    });
  },
});
