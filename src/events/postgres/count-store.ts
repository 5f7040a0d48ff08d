import type { Knex } from 'knex';
import { holdLock } from '../../base/advisory-locks.ts';
import { dateOfDay, dayOf } from '../../base/utc-day.ts';
import { readCampaigns, type CampaignName } from './book-store.ts';
import { ADD_TO_DAILY, ADD_TO_EVENTS, ADD_TO_FILTERED, ADD_TO_HOURLY, COUNTED, DAILY_KEY, EVENT_KEY, HOURLY_KEY } from './count-tables.ts';
import { readCountedAccounts, type CountedAccount } from './counted-accounts.ts';
import { holdPartition, partitionOf, partitionsOf } from './partitions.ts';
import { readWholeDay } from './read-whole-day.ts';
import { createUncounted, inOneState, type Uncounted } from './uncounted.ts';

export interface CompareDay {
  /** Changes nothing. */
  readonly dryRun: boolean;
  /** Ends the comparison, which then rejects. */
  readonly stopping?: AbortSignal | undefined;
}

/** SQL: the rows that counts should have: those of a batch are counted together, and its record is deleted with that. */
const IN_COUNTS = 'batch not in (select batch from event_batches)';

// Serves have no event rows. The statement sees one state of the database, in which each batch is counted or is not:
// the difference is the same after any number of later batches, and is added to their result.
const COMPARE_DAILY = (partition: string): string => `
  with stored as materialized (
    select ${DAILY_KEY}, kind, event_type, invalid_reason, count(*) as count, count(*) filter (where is_repeat) as repeats,
           sum(billed_micros)::bigint as micros
    from ${partition} where ${IN_COUNTS}
    group by ${DAILY_KEY}, kind, event_type, invalid_reason
  ), rows as (
    select ${DAILY_KEY}, sum(count) filter (where kind = 'impression') as impressions,
           sum(count) filter (where kind = 'click') as clicks, sum(repeats) as repeat_clicks, sum(micros) as spend_micros
    from stored where ${COUNTED} and (kind in ('impression', 'click') or micros > 0) group by ${DAILY_KEY}
  ), counted as (
    select * from daily_counts where day = cast(:onDay as date)
  ), differing as (
    select ${DAILY_KEY},
           coalesce(r.impressions, 0) - coalesce(c.impressions, 0) as impressions,
           coalesce(r.clicks, 0) - coalesce(c.clicks, 0) as clicks,
           coalesce(r.repeat_clicks, 0) - coalesce(c.repeat_clicks, 0) as repeat_clicks,
           coalesce(r.spend_micros, 0) - coalesce(c.spend_micros, 0) as spend_micros
    from rows r full join counted c using (${DAILY_KEY})
    where (coalesce(r.impressions, 0), coalesce(r.clicks, 0), coalesce(r.repeat_clicks, 0), coalesce(r.spend_micros, 0))
          is distinct from (coalesce(c.impressions, 0), coalesce(c.clicks, 0), coalesce(c.repeat_clicks, 0), coalesce(c.spend_micros, 0))
  ), mended as (
    insert into daily_counts (${DAILY_KEY}, impressions, clicks, repeat_clicks, spend_micros)
    select ${DAILY_KEY}, impressions, clicks, repeat_clicks, spend_micros from differing where not :dryRun order by ${DAILY_KEY}
    ${ADD_TO_DAILY}
  ), events_stored as (
    select ${EVENT_KEY}, sum(count) as count from stored where ${COUNTED} and kind = 'event' group by ${EVENT_KEY}
  ), events_counted as (
    select * from event_counts where day = cast(:onDay as date)
  ), events_differing as (
    select ${EVENT_KEY}, coalesce(r.count, 0) - coalesce(c.count, 0) as count
    from events_stored r full join events_counted c using (${EVENT_KEY}) where coalesce(r.count, 0) <> coalesce(c.count, 0)
  ), events_mended as (
    insert into event_counts (${EVENT_KEY}, count)
    select ${EVENT_KEY}, count from events_differing where not :dryRun order by ${EVENT_KEY}
    ${ADD_TO_EVENTS}
  ), filtered_stored as (
    select ${DAILY_KEY}, kind::text as kind, invalid_reason as reason, sum(count) as count
    from stored where not (${COUNTED}) group by ${DAILY_KEY}, kind, invalid_reason
  ), filtered_counted as (
    select * from filtered_counts where day = cast(:onDay as date)
  ), filtered_differing as (
    select ${DAILY_KEY}, kind, reason, coalesce(r.count, 0) - coalesce(c.count, 0) as count
    from filtered_stored r full join filtered_counted c using (${DAILY_KEY}, kind, reason)
    where coalesce(r.count, 0) <> coalesce(c.count, 0)
  ), filtered_mended as (
    insert into filtered_counts (${DAILY_KEY}, kind, reason, count)
    select ${DAILY_KEY}, kind, reason, count from filtered_differing where not :dryRun order by ${DAILY_KEY}, kind, reason
    ${ADD_TO_FILTERED}
  )
  select (select count(*) from differing)::int + (select count(*) from events_differing)::int
         + (select count(*) from filtered_differing)::int as differences`;

/**
 * Hourly counts have the day of the hit. Its ad was selected on that day or the one before
 * (TOKEN_TTL is at most 12 hours), or by a replica whose clock was ahead on the one after.
 */
const COMPARE_HOURLY = (partitions: readonly string[]): string => `
  with stored as (
    select extract(hour from at at time zone 'utc')::smallint as hour, publisher_id, count(*) as impressions
    from (${partitions.map((name) => `table ${name}`).join(' union all ')}) events
    where kind = 'impression' and ${COUNTED} and ${IN_COUNTS}
      and at >= cast(:onDay as date) at time zone 'utc' and at < (cast(:onDay as date) + 1) at time zone 'utc'
    group by 1, 2
  ), counted as (
    select hour, publisher_id, impressions from hourly_counts where day = cast(:onDay as date)
  ), differing as (
    select hour, publisher_id, coalesce(s.impressions, 0) - coalesce(c.impressions, 0) as impressions
    from stored s full join counted c using (hour, publisher_id) where coalesce(s.impressions, 0) <> coalesce(c.impressions, 0)
  ), mended as (
    insert into hourly_counts (${HOURLY_KEY}, impressions)
    select cast(:onDay as date), hour, publisher_id, impressions from differing where not :dryRun order by 1, 2, 3
    ${ADD_TO_HOURLY}
  )
  select count(*)::int as differences from differing`;

/** The day before had events, and they were dropped: some of its ads were seen on this day. */
const EARLIER_EVENTS_DROPPED = `
  select exists (select from hourly_counts where day < cast(:onDay as date))
     and not exists (select from pg_inherits i join pg_class c on c.oid = i.inhrelid
                     where i.inhparent = 'events'::regclass and c.relname < :partition) as dropped`;

export interface CountStoreOptions {
  readonly knex: Knex;
  /** Default: one that has read nothing yet. */
  readonly uncounted?: Uncounted;
}

/** Compares the counts with the event rows, and sums them. Rejects when Postgres is unavailable. */
export const createCountStore = ({ knex, uncounted = createUncounted() }: CountStoreOptions) => ({
  /** The days (since the epoch) whose event rows are kept, latest first. */
  days: async (): Promise<readonly number[]> =>
    (await partitionsOf(knex)).map((name) => dayOf(Date.parse(name.replace(/^events_(....)(..)(..)$/, '$1-$2-$3')))).toReversed(),

  /**
   * Compares the daily counts, event counts and filtered counts of a day with its event rows, and adds the differences to them unless
   * `dryRun`. Resolves to how many differed. A concurrent batch is counted in one transaction (roll-up-batches.ts), so what it adds is neither
   * a difference nor lost. Reads all rows of the day once: some seconds for ten million.
   */
  compareDaily: (day: number, options: CompareDay): Promise<number> =>
    comparing(knex, day, options, (trx) => differencesIn(trx, COMPARE_DAILY(partitionOf(dateOfDay(day))), day, options)),

  /** The same with the hourly counts. */
  compareHourly: (day: number, options: CompareDay): Promise<number> =>
    comparing(knex, day, options, async (trx) => {
      const held = [partitionOf(dateOfDay(day))];
      for (const one of [day - 1, day + 1]) if (await holdPartition(trx, one)) held.push(partitionOf(dateOfDay(one)));
      const onDay = dateOfDay(day);
      const { rows } = await trx.raw<{ rows: { dropped: boolean }[] }>(EARLIER_EVENTS_DROPPED, { onDay, partition: partitionOf(onDay) });
      return rows[0]?.dropped === true ? 0 : differencesIn(trx, COMPARE_HOURLY(held), day, options);
    }),

  /** The next `limit` campaigns after `afterCampaign` whose flight has not ended two days ago. */
  campaigns: (afterCampaign: number, limit: number): Promise<readonly CampaignName[]> =>
    readCampaigns(knex, { live: true, after: afterCampaign, limit }),

  /** The counts of campaigns and their line items with all rows, those of `today` and the day before apart. */
  accounts: (today: number, campaigns: readonly number[]): Promise<readonly CountedAccount[]> =>
    inOneState(knex, (trx) => readCountedAccounts(trx, today, campaigns, uncounted)),
});

export type CountStore = ReturnType<typeof createCountStore>;

const differencesIn = async (trx: Knex.Transaction, sql: string, day: number, { dryRun }: CompareDay): Promise<number> => {
  const { rows } = await trx.raw<{ rows: { differences: number }[] }>(sql, { onDay: dateOfDay(day), dryRun });
  return rows[0]?.differences ?? 0;
};

/**
 * One comparison of a day at a time. Without its partition a day would seem to have no events. Partitions are read by their names, because what
 * reads `events` for seconds keeps others from creating a partition, and so from storing events.
 */
const comparing = (knex: Knex, day: number, { stopping }: CompareDay, work: (trx: Knex.Transaction) => Promise<number>): Promise<number> =>
  knex.transaction(async (trx) => {
    await holdLock(trx, 'comparison');
    return (await holdPartition(trx, day)) ? readWholeDay(knex, trx, stopping, () => work(trx)) : 0;
  });
