import type { Knex } from 'knex';
import { dateOfDay, dayOf } from '../../base/utc-day.ts';
import type { Hit } from '../../ledger/hit.ts';

/** A settled hit as read from the stream. */
export interface StoredEvent {
  readonly hit: Hit;
  /** Epoch milliseconds at which it was counted. */
  readonly atMs: number;
  readonly billedMicros: number;
}

/** Serves of one creative on one day, as the ledger tallies them. */
export interface ServeCount {
  readonly day: number;
  readonly publisherId: number;
  readonly campaignId: number;
  readonly lineItemId: number;
  readonly creativeId: number;
  readonly serves: number;
}

/**
 * Permanent storage of hits: event rows partitioned by day, and daily counts updated in the same
 * transaction.
 */
export interface EventStore {
  /**
   * Stores each event once, even if it is passed repeatedly. Resolves to the number of new events.
   * Rejects when Postgres is unavailable.
   */
  append(events: readonly StoredEvent[]): Promise<number>;
  /**
   * Stores tallies of serves, which have no event rows. A tally only grows within a day, so the
   * larger figure is the newer.
   */
  recordServes(counts: readonly ServeCount[]): Promise<void>;
  /** Drops the partitions of days more than `days` ago. Resolves to their names. */
  prune(days: number, nowMs: number): Promise<readonly string[]>;
}

/** Whether Postgres refused a value (SQLSTATE class 22): the same event would be refused again. */
export const isDataFault = (fault: unknown): boolean => String((fault as { code?: unknown }).code).startsWith('22');

/**
 * SQL: whether the hit in the row `hit` has its event row. The row has jti, kind, event_type,
 * invalid_reason and `payload`, the hit as JSON.
 */
export const hasEventRow = (hit: string): string => `exists (
   select from events e
   where e.day = date '1970-01-01' + (${hit}.payload #>> '{ad,day}')::int
     and e.jti = ${hit}.jti and e.kind = ${hit}.kind and e.event_type = ${hit}.event_type
     and (e.invalid_reason = 'prefetch') = (${hit}.invalid_reason = 'prefetch'))`;

/** Hourly traffic is queried for the last week only. */
const HOURLY_DAYS = 35;

const partitionOf = (date: string): string => `events_${date.replaceAll('-', '')}`;

/**
 * Any number that no other lock in the database uses: one replica at a time creates or drops
 * partitions.
 */
const PARTITION_LOCK = 7_240_117_002;

// Rows are sorted before they are written, so that concurrent writers lock them in the same order
// and cannot deadlock.
const APPEND = `
  with arrived as (
    insert into events (day, jti, kind, event_type, invalid_reason, at, publisher_id, campaign_id, line_item_id, creative_id,
                        placement_id, user_hash, country, device, billed_micros)
    select * from unnest(?::date[], ?::text[], ?::text[], ?::text[], ?::text[], ?::timestamptz[], ?::int[], ?::int[], ?::int[], ?::int[],
                         ?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[])
    order by 1, 2, 3, 4, 5
    on conflict do nothing
    returning *
  ), counted as (
    insert into daily_counts (day, publisher_id, campaign_id, line_item_id, creative_id, impressions, clicks, spend_micros)
    select day, publisher_id, campaign_id, line_item_id, creative_id,
           count(*) filter (where kind = 'impression'), count(*) filter (where kind = 'click'), sum(billed_micros)
    from arrived where kind in ('impression', 'click') and invalid_reason <> 'prefetch'
    group by 1, 2, 3, 4, 5 order by 1, 4, 5
    on conflict (day, line_item_id, creative_id) do update set
      impressions = daily_counts.impressions + excluded.impressions,
      clicks = daily_counts.clicks + excluded.clicks,
      spend_micros = daily_counts.spend_micros + excluded.spend_micros
  ), tallied as (
    insert into event_counts (day, line_item_id, creative_id, event_type, count)
    select day, line_item_id, creative_id, event_type, count(*)
    from arrived where kind = 'event' and invalid_reason <> 'prefetch'
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (day, line_item_id, creative_id, event_type) do update set count = event_counts.count + excluded.count
  ), timed as (
    insert into hourly_counts (day, hour, publisher_id, impressions)
    select (at at time zone 'utc')::date, extract(hour from at at time zone 'utc'), publisher_id, count(*)
    from arrived where kind = 'impression' and invalid_reason <> 'prefetch'
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (day, hour, publisher_id) do update set impressions = hourly_counts.impressions + excluded.impressions
  )
  select count(*)::int as stored from arrived`;

const RECORD_SERVES = `
  insert into daily_counts (day, publisher_id, campaign_id, line_item_id, creative_id, serves)
  select * from unnest(?::date[], ?::int[], ?::int[], ?::int[], ?::int[], ?::bigint[]) order by 1, 4, 5
  on conflict (day, line_item_id, creative_id) do update set serves = greatest(daily_counts.serves, excluded.serves)`;

export const createEventStore = ({ knex }: { readonly knex: Knex }): EventStore => {
  const known = new Set<number>();

  const ensurePartition = async (day: number): Promise<void> => {
    if (known.has(day)) return;
    const from = dateOfDay(day);
    await knex.transaction(async (trx) => {
      await trx.raw('select pg_advisory_xact_lock(?)', [PARTITION_LOCK]);
      await trx.raw(
        `create table if not exists ${partitionOf(from)} partition of events for values from ('${from}') to ('${dateOfDay(day + 1)}')`,
      );
    });
    known.add(day);
  };

  return {
    append: async (events) => {
      if (events.length === 0) return 0;
      for (const day of new Set(events.map(({ hit }) => hit.ad.day))) await ensurePartition(day);
      const column = <T>(read: (event: StoredEvent) => T): T[] => events.map(read);
      const result = await knex.raw<{ rows: { stored: number }[] }>(APPEND, [
        column(({ hit }) => dateOfDay(hit.ad.day)),
        column(({ hit }) => hit.ad.tokenId),
        column(({ hit }) => hit.kind),
        column(({ hit }) => hit.eventType),
        column(({ hit }) => hit.invalidReason),
        column(({ atMs }) => new Date(atMs).toISOString()),
        column(({ hit }) => hit.ad.publisherId),
        column(({ hit }) => hit.ad.campaignId),
        column(({ hit }) => hit.ad.lineItemId),
        column(({ hit }) => hit.ad.creativeId),
        column(({ hit }) => hit.ad.placementId),
        column(({ hit }) => hit.ad.userHash ?? ''),
        column(({ hit }) => hit.country),
        column(({ hit }) => hit.device),
        column(({ billedMicros }) => billedMicros),
      ] as unknown as Knex.RawBinding);
      return result.rows[0]?.stored ?? 0;
    },

    recordServes: async (counts) => {
      if (counts.length === 0) return;
      const column = <T>(read: (count: ServeCount) => T): T[] => counts.map(read);
      await knex.raw(RECORD_SERVES, [
        column(({ day }) => dateOfDay(day)),
        column(({ publisherId }) => publisherId),
        column(({ campaignId }) => campaignId),
        column(({ lineItemId }) => lineItemId),
        column(({ creativeId }) => creativeId),
        column(({ serves }) => serves),
      ]);
    },

    prune: async (days, nowMs) => {
      const oldest = partitionOf(dateOfDay(dayOf(nowMs) - days));
      return knex.transaction(async (trx) => {
        await trx.raw('select pg_advisory_xact_lock(?)', [PARTITION_LOCK]);
        const { rows } = await trx.raw<{ rows: { name: string }[] }>(
          `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
           where i.inhparent = 'events'::regclass and c.relname < ? order by 1`,
          [oldest],
        );
        for (const { name } of rows) await trx.raw('drop table ??', [name]);
        await trx('hourly_counts')
          .where('day', '<', dateOfDay(dayOf(nowMs) - HOURLY_DAYS))
          .delete();
        known.clear();
        return rows.map(({ name }) => name);
      });
    },
  };
};
