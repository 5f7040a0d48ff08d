import type { Knex } from 'knex';
import { dateOfDay, dayOf } from '../../base/utc-day.ts';
import type { AccountCounts } from '../../ledger/read/account-books.ts';
import { COUNTED, DAILY_KEY, holdPartitions } from './event-store.ts';

/** The counts of one line item ('l') or campaign ('c') according to daily_counts. */
export interface CountedAccount {
  readonly publisherId: number;
  readonly kind: 'l' | 'c';
  readonly id: number;
  readonly counts: AccountCounts;
}

export interface ComparedLineItems {
  /** Rows of daily_counts that differed from the event rows. */
  readonly differences: number;
  /** Where the next comparison begins; undefined: this was the last line item of the day. */
  readonly lastLineItem: number | undefined;
}

/** Compares the daily counts with the event rows, and sums them. Rejects when Postgres is unavailable. */
export interface CountStore {
  /** The days (since the epoch) whose event rows are kept, latest first. */
  days(): Promise<readonly number[]>;
  /**
   * Compares the daily counts of up to `limit` line items after `afterLineItem` with the event rows
   * of a day, and adds the differences to the daily counts unless `dryRun`. A concurrent append
   * changes both in one transaction, so what it adds is neither a difference nor lost.
   */
  compareDay(day: number, afterLineItem: number, limit: number, dryRun: boolean): Promise<ComparedLineItems>;
  /** The next `limit` campaigns after `afterCampaign` whose flight has not ended two days ago. */
  campaigns(afterCampaign: number, limit: number): Promise<readonly { readonly id: number; readonly publisherId: number }[]>;
  /** The counts of campaigns and their line items, those of `today` and the day before apart. */
  accounts(today: number, campaigns: readonly number[]): Promise<readonly CountedAccount[]>;
}

/** Any number that no other lock in the database uses: one writer of differences at a time. */
const COMPARE_LOCK = 7_240_117_004;

/** The next line items of a day, from the index of the event rows and from the daily counts. */
const NEXT_LINE_ITEMS = `
  with recursive stored as (
    (select line_item_id from events where day = cast(:onDay as date) and line_item_id > :after order by 1 limit 1)
    union all
    select (select e.line_item_id from events e where e.day = cast(:onDay as date) and e.line_item_id > stored.line_item_id order by 1 limit 1)
    from stored where stored.line_item_id is not null
  ), counted as (
    select distinct line_item_id from daily_counts where day = cast(:onDay as date) and line_item_id > :after order by 1 limit :limit
  )
  select line_item_id as id from (select line_item_id from (table stored limit :limit) s union select line_item_id from counted) both_sides
  where line_item_id is not null order by 1 limit :limit`;

// Serves have no event rows. The statement sees one state of the database, in which each append is
// whole: the difference is the same after any number of later appends, and is added to their result.
const COMPARE = `
  with rows as (
    select ${DAILY_KEY}, count(*) filter (where kind = 'impression') as impressions,
           count(*) filter (where kind = 'click') as clicks, sum(billed_micros)::bigint as spend_micros
    from events
    where day = cast(:onDay as date) and line_item_id > :after and line_item_id <= :last and kind in ('impression', 'click') and ${COUNTED}
    group by ${DAILY_KEY}
  ), counted as (
    select * from daily_counts where day = cast(:onDay as date) and line_item_id > :after and line_item_id <= :last
  ), differing as (
    select ${DAILY_KEY},
           coalesce(r.impressions, 0) - coalesce(c.impressions, 0) as impressions,
           coalesce(r.clicks, 0) - coalesce(c.clicks, 0) as clicks,
           coalesce(r.spend_micros, 0) - coalesce(c.spend_micros, 0) as spend_micros
    from rows r full join counted c using (${DAILY_KEY})
    where (coalesce(r.impressions, 0), coalesce(r.clicks, 0), coalesce(r.spend_micros, 0))
          is distinct from (coalesce(c.impressions, 0), coalesce(c.clicks, 0), coalesce(c.spend_micros, 0))
  ), mended as (
    insert into daily_counts (${DAILY_KEY}, impressions, clicks, spend_micros)
    select ${DAILY_KEY}, impressions, clicks, spend_micros from differing where not :dryRun order by ${DAILY_KEY}
    on conflict (${DAILY_KEY}) do update set
      impressions = daily_counts.impressions + excluded.impressions,
      clicks = daily_counts.clicks + excluded.clicks,
      spend_micros = daily_counts.spend_micros + excluded.spend_micros
  )
  select count(*)::int as differences from differing`;

const CAMPAIGNS = `
  select id, publisher_id as "publisherId" from campaigns
  where id > ? and end_at > now() - interval '2 days' order by id limit ?`;

const sumsOf = (account: string) => `
  select ${account},
    coalesce(sum(serves) filter (where d.day = :today::date), 0) as "serves",
    coalesce(sum(impressions) filter (where d.day = :today::date), 0) as "impressions",
    coalesce(sum(clicks) filter (where d.day = :today::date), 0) as "clicks",
    coalesce(sum(spend_micros) filter (where d.day = :today::date), 0) as "spendMicros",
    coalesce(sum(serves) filter (where d.day = :yesterday::date), 0) as "yesterdayServes",
    coalesce(sum(impressions) filter (where d.day = :yesterday::date), 0) as "yesterdayImpressions",
    coalesce(sum(clicks) filter (where d.day = :yesterday::date), 0) as "yesterdayClicks",
    coalesce(sum(spend_micros) filter (where d.day = :yesterday::date), 0) as "yesterdaySpendMicros",
    coalesce(sum(impressions), 0) as "totalImpressions",
    coalesce(sum(spend_micros), 0) as "totalSpendMicros"`;

const ACCOUNTS = `
  ${sumsOf(`c.publisher_id as "publisherId", 'c' as kind, c.id`)}
  from campaigns c left join daily_counts d on d.campaign_id = c.id and d.publisher_id = c.publisher_id
  where c.id = any(:campaigns) group by c.publisher_id, c.id
  union all
  ${sumsOf(`c.publisher_id, 'l', l.id`)}
  from campaigns c join line_items l on l.campaign_id = c.id
  left join daily_counts d on d.line_item_id = l.id and d.publisher_id = c.publisher_id
  where c.id = any(:campaigns) group by c.publisher_id, l.id
  order by 1, 2, 3`;

type AccountRow = Pick<CountedAccount, 'publisherId' | 'kind' | 'id'> & Readonly<Record<keyof AccountCounts, string>>;

export const createCountStore = ({ knex }: { readonly knex: Knex }): CountStore => ({
  days: async () => {
    const { rows } = await knex.raw<{ rows: { name: string }[] }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'events'::regclass order by 1 desc`,
    );
    return rows.map(({ name }) => dayOf(Date.parse(name.replace(/^events_(....)(..)(..)$/, '$1-$2-$3'))));
  },

  compareDay: (day, afterLineItem, limit, dryRun) =>
    knex.transaction(async (trx) => {
      await trx.raw('select pg_advisory_xact_lock(?)', [COMPARE_LOCK]);
      // Without its partition a day would seem to have no events.
      if ((await holdPartitions(trx, [day])).length > 0) return { differences: 0, lastLineItem: undefined };
      const range = { onDay: dateOfDay(day), after: afterLineItem, limit, dryRun };
      const { rows: next } = await trx.raw<{ rows: { id: number }[] }>(NEXT_LINE_ITEMS, range);
      const last = next.at(-1)?.id;
      if (last === undefined) return { differences: 0, lastLineItem: undefined };
      const { rows } = await trx.raw<{ rows: { differences: number }[] }>(COMPARE, { ...range, last });
      return { differences: rows[0]?.differences ?? 0, lastLineItem: next.length < limit ? undefined : last };
    }),

  campaigns: async (afterCampaign, limit) => {
    const { rows } = await knex.raw<{ rows: { id: number; publisherId: number }[] }>(CAMPAIGNS, [afterCampaign, limit]);
    return rows;
  },

  accounts: async (today, campaigns) => {
    const bindings = { today: dateOfDay(today), yesterday: dateOfDay(today - 1), campaigns: [...campaigns] };
    const { rows } = await knex.raw<{ rows: AccountRow[] }>(ACCOUNTS, bindings as unknown as Knex.RawBinding);
    // Postgres sends sums as text.
    return rows.map(({ publisherId, kind, id, ...sums }) => ({
      ...{ publisherId, kind, id },
      counts: Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, Number(sum)])) as unknown as AccountCounts,
    }));
  },
});
