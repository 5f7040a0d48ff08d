import type { Knex } from 'knex';
import { holdLock } from '../../base/advisory-locks.ts';
import { dateOfDay, dayOf } from '../../base/utc-day.ts';
import { createAppendEvents } from './append-events.ts';
import { DAILY_KEY, SERVES_KEY } from './count-tables.ts';
import { forgetSignalsOfDead, SIGNALS_DAYS } from './event-signals.ts';
import { joinPayerNow, PAYER_NOW } from './payers.ts';
import { dropPartitions, expiredPartitions, holdPartitionsAlone } from './partitions.ts';
import { rollUpWithin } from './roll-up-batches.ts';
import { addServesToRollUps, HOURLY_ROLL_UPS, REPORT_HOURS_DAYS } from './roll-ups.ts';

/** Serves of one creative on one day, as the ledger tallies them. */
export interface ServeCount {
  readonly day: number;
  readonly publisherId: number;
  readonly campaignId: number;
  readonly lineItemId: number;
  readonly creativeId: number;
  readonly serves: number;
}

/** Hourly counts are kept for so many days. They are queried for the last week only. */
export const HOURLY_DAYS = 35;

// A scan of the tally may return a field twice. A day's serves are those of all who paid for the campaign on it; what is new is
// for whoever pays now. Roll-ups get it at the time of the copy, or at the nearest moment of the day that the tally belongs to.
const RECORD_SERVES = `
  with given as (
    select ${SERVES_KEY}, max(serves) as serves
    from unnest(?::date[], ?::int[], ?::int[], ?::int[], ?::int[], ?::bigint[]) as counted (${SERVES_KEY}, serves)
    group by ${SERVES_KEY}
  ), known as (
    select ${SERVES_KEY}, sum_bigint(daily_counts.serves) as serves
    from daily_counts join (select ${SERVES_KEY} from given) keys using (${SERVES_KEY}) group by ${SERVES_KEY}
  ), new_serves as (
    select given.*, given.serves - coalesce(known.serves, 0) as grown, coalesce(time_zone, 'UTC') as zone, ${PAYER_NOW} as advertiser_id,
           least(greatest(now(), given.day::timestamp at time zone coalesce(time_zone, 'UTC')),
                 (given.day + 1)::timestamp at time zone coalesce(time_zone, 'UTC') - interval '1 microsecond') as at
    from given left join known using (${SERVES_KEY}) left join publishers on publishers.id = given.publisher_id ${joinPayerNow('given')}
    where given.serves > coalesce(known.serves, 0)
  ), stored as (
    insert into daily_counts (${DAILY_KEY}, serves)
    select ${DAILY_KEY}, grown from new_serves order by ${DAILY_KEY}
    on conflict (${DAILY_KEY}) do update set serves = daily_counts.serves + excluded.serves
  ), ${addServesToRollUps('new_serves')}
  select`;

/**
 * Permanent storage of hits: event rows partitioned by day, from which counts and the roll-ups of reports are made later
 * (roll-up-batches.ts).
 */
export const createEventStore = ({ knex }: { readonly knex: Knex }) => ({
  /**
   * Stores each event once, even if it is passed repeatedly. Resolves to the number of new events.
   * Rejects when Postgres is unavailable.
   */
  append: createAppendEvents(knex),

  /**
   * Stores tallies of serves, which have no event rows. A tally only grows within a day, so the
   * larger figure is the newer.
   */
  recordServes: async (counts: readonly ServeCount[]): Promise<void> => {
    if (counts.length === 0) return;
    const column = <T>(read: (count: ServeCount) => T): T[] => counts.map(read);
    await knex.transaction(async (trx) => {
      await holdLock(trx, 'serves');
      await trx.raw(RECORD_SERVES, [
        column(({ day }) => dateOfDay(day)),
        column(({ lineItemId }) => lineItemId),
        column(({ creativeId }) => creativeId),
        column(({ campaignId }) => campaignId),
        column(({ publisherId }) => publisherId),
        column(({ serves }) => serves),
      ]);
    });
  },

  /**
   * Drops the event rows of days more than `days` ago, and the signals of senders after SIGNALS_DAYS.
   * Resolves to the names of the partitions of events.
   */
  prune: async (days: number, nowMs: number): Promise<readonly string[]> => {
    const today = dayOf(nowMs);
    const firstSignals = today - Math.min(days, SIGNALS_DAYS);
    await forgetSignalsOfDead(knex, firstSignals);
    await knex('hourly_counts')
      .where('day', '<', dateOfDay(today - HOURLY_DAYS))
      .delete();
    for (const table of HOURLY_ROLL_UPS)
      await knex(table)
        .where('day', '<', dateOfDay(today - REPORT_HOURS_DAYS))
        .delete();
    const expired = await Promise.all([
      expiredPartitions(knex, 'events', today - days),
      expiredPartitions(knex, 'event_signals', firstSignals),
    ]);
    // All replicas look each hour, and no event is stored while one drops.
    if (expired.flat().length === 0) return [];
    return knex.transaction(async (trx) => {
      await holdPartitionsAlone(trx);
      // What is dropped stays counted.
      await rollUpWithin(trx);
      await dropPartitions(trx, 'event_signals', firstSignals);
      return dropPartitions(trx, 'events', today - days);
    });
  },
});

export type EventStore = ReturnType<typeof createEventStore>;
