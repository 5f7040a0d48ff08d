import type { Knex } from 'knex';
import { dateOfDay, dayOf } from '../../base/utc-day.ts';
import { sizeText } from '../../ledger/ad-size.ts';
import { takesFromHold } from '../../ledger/hit.ts';
import { arrayLiteral } from './array-literal.ts';
import {
  ADD_TO_DAILY,
  ADD_TO_EVENTS,
  ADD_TO_FILTERED,
  ADD_TO_HOURLY,
  COUNTED,
  DAILY_KEY,
  EVENT_KEY,
  HOLD_KEY,
  HOURLY_KEY,
  IN_DAILY,
  SERVES_KEY,
} from './count-tables.ts';
import { moveProvisional } from './move-rows.ts';
import { forgetSignalsOfDead, SIGNALS_DAYS, storeSignals } from './event-signals.ts';
import { joinPayerNow, PAYER_NOW } from './payers.ts';
import { createPartitions, dropPartitions, holdPartitions } from './partitions.ts';
import { addServesToRollUps, addToRollUps, HOURLY_ROLL_UPS, REPORT_HOURS_DAYS } from './roll-ups.ts';
import { isFinalClick, type StoredEvent } from './stored-event.ts';

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
 * Permanent storage of hits: event rows partitioned by day, and daily counts and the roll-ups of
 * reports updated in the same transaction.
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
  /**
   * Drops the event rows of days more than `days` ago, and the signals of senders after SIGNALS_DAYS.
   * Resolves to the names of the partitions of events.
   */
  prune(days: number, nowMs: number): Promise<readonly string[]>;
}

/** Hourly counts are kept for so many days. They are queried for the last week only. */
export const HOURLY_DAYS = 35;

const EVENT_COLUMNS = `day, jti, kind, event_type, screened, invalid_reason, at, publisher_id, campaign_id, line_item_id, creative_id,
  placement_id, size, user_hash, country, region, device, browser, billed_micros, is_repeat`;

// The hold of an impression is settled in the transaction that stores its row: what is neither a row nor settled is held.
const APPEND = `
  with given as materialized (
    select * from unnest(?::date[], ?::text[], ?::text[], ?::text[], ?::boolean[], ?::text[], ?::timestamptz[], ?::int[], ?::int[],
                ?::int[], ?::int[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[], ?::boolean[], ?::bigint[])
                as given (${EVENT_COLUMNS}, hold_end)
  ), arrived as (
    insert into events (${EVENT_COLUMNS}, zone, advertiser_id)
    select ${EVENT_COLUMNS.replaceAll(/\w+/g, 'given.$&')}, coalesce(time_zone, 'UTC'), ${PAYER_NOW}
    from given left join publishers on publishers.id = given.publisher_id ${joinPayerNow('given')}
    order by 1, 2, 3, 4, 5
    on conflict do nothing
    returning *
  ), settled as (
    insert into open_holds (${HOLD_KEY}, campaign_id, publisher_id, settled, settled_micros)
    select given.hold_end, given.line_item_id, given.day, given.campaign_id, given.publisher_id,
           count(*) filter (where given.kind = 'impression'), sum(given.billed_micros)
    from arrived join given using (day, jti, kind, event_type, screened) where given.hold_end > 0
    group by 1, 2, 3, 4, 5 order by 1, 2, 3
    on conflict (${HOLD_KEY}) do update set
      settled = open_holds.settled + excluded.settled, settled_micros = open_holds.settled_micros + excluded.settled_micros
  ), counted as (
    insert into daily_counts (${DAILY_KEY}, impressions, clicks, repeat_clicks, spend_micros)
    select ${DAILY_KEY}, count(*) filter (where kind = 'impression'), count(*) filter (where kind = 'click'),
           count(*) filter (where is_repeat), sum(billed_micros)
    from arrived where ${IN_DAILY}
    group by ${DAILY_KEY} order by ${DAILY_KEY}
    ${ADD_TO_DAILY}
  ), tallied as (
    insert into event_counts (${EVENT_KEY}, count)
    select ${EVENT_KEY}, count(*)
    from arrived where kind = 'event' and ${COUNTED}
    group by ${EVENT_KEY} order by ${EVENT_KEY}
    ${ADD_TO_EVENTS}
  ), filtered as (
    insert into filtered_counts (${DAILY_KEY}, kind, reason, count)
    select ${DAILY_KEY}, kind, invalid_reason, count(*) from arrived where not (${COUNTED})
    group by ${DAILY_KEY}, kind, invalid_reason order by ${DAILY_KEY}, kind, invalid_reason
    ${ADD_TO_FILTERED}
  ), timed as (
    insert into hourly_counts (${HOURLY_KEY}, impressions)
    select (at at time zone 'utc')::date, extract(hour from at at time zone 'utc'), publisher_id, count(*)
    from arrived where kind = 'impression' and ${COUNTED}
    group by 1, 2, 3 order by 1, 2, 3
    ${ADD_TO_HOURLY}
  ), signed as (
    select *, 1 as sign from arrived
  ), ${addToRollUps('signed')}
  select count(*)::int as stored from arrived`;

/** Any number that no other lock in the database uses: one writer of serves at a time. */
const SERVES_LOCK = 7_240_117_006;

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

const insert = async (trx: Knex.Transaction, events: readonly StoredEvent[]): Promise<number> => {
  const column = (read: (event: StoredEvent) => string | number | boolean | null): string => arrayLiteral(events.map(read));
  const { rows } = await trx.raw<{ rows: { stored: number }[] }>(APPEND, [
    column(({ hit }) => dateOfDay(hit.ad.day)),
    column(({ hit }) => hit.ad.tokenId),
    column(({ hit }) => hit.kind),
    column(({ hit }) => hit.eventType),
    column(({ hit }) => hit.invalidReason !== ''),
    column(({ reason }) => reason),
    column(({ atMs }) => new Date(atMs).toISOString()),
    column(({ hit }) => hit.ad.publisherId),
    column(({ hit }) => hit.ad.campaignId),
    column(({ hit }) => hit.ad.lineItemId),
    column(({ hit }) => hit.ad.creativeId),
    column(({ hit }) => hit.ad.placementId),
    column(({ hit }) => sizeText(hit.ad.size)),
    column(({ hit }) => hit.ad.userHash ?? ''),
    column(({ hit }) => hit.country),
    column(({ hit }) => hit.region ?? null),
    column(({ hit }) => hit.device),
    column(({ hit }) => hit.browser ?? null),
    column(({ billedMicros }) => billedMicros),
    column(({ isRepeat = false }) => isRepeat),
    column(({ hit, reason }) => (takesFromHold(hit) && reason === '' ? hit.ad.holdEndMs : 0)),
  ]);
  await storeSignals(trx, events);
  return rows[0]?.stored ?? 0;
};

/** A final click takes the place of its provisional row, or of none when that comes later. */
const insertAndJudge = async (trx: Knex.Transaction, events: readonly StoredEvent[]): Promise<number> => {
  const judged = events.filter(isFinalClick);
  if (judged.length === 0) return insert(trx, events);
  const fresh = events.filter((event) => !isFinalClick(event));
  const stored = fresh.length > 0 ? await insert(trx, fresh) : 0;
  await moveProvisional(trx, judged);
  return stored + (await insert(trx, judged));
};

export const createEventStore = ({ knex }: { readonly knex: Knex }): EventStore => {
  /** undefined: a day has no partition. */
  const appendToPartitions = (events: readonly StoredEvent[], days: readonly number[]): Promise<number | undefined> =>
    knex.transaction(async (trx) => ((await holdPartitions(trx, days)).length > 0 ? undefined : insertAndJudge(trx, events)));

  const createPartitionsAndAppend = (events: readonly StoredEvent[], days: readonly number[]): Promise<number> =>
    knex.transaction(async (trx) => {
      await createPartitions(trx, days);
      return insertAndJudge(trx, events);
    });

  return {
    append: async (events) => {
      if (events.length === 0) return 0;
      const days = [...new Set(events.map(({ hit }) => hit.ad.day))];
      return (await appendToPartitions(events, days)) ?? createPartitionsAndAppend(events, days);
    },

    recordServes: async (counts) => {
      if (counts.length === 0) return;
      const column = <T>(read: (count: ServeCount) => T): T[] => counts.map(read);
      await knex.transaction(async (trx) => {
        await trx.raw('select pg_advisory_xact_lock(?)', [SERVES_LOCK]);
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

    prune: (days, nowMs) =>
      knex.transaction(async (trx) => {
        const today = dayOf(nowMs);
        await dropPartitions(trx, 'event_signals', today - Math.min(days, SIGNALS_DAYS));
        await forgetSignalsOfDead(trx, today - Math.min(days, SIGNALS_DAYS));
        const expired = await dropPartitions(trx, 'events', today - days);
        await trx('hourly_counts')
          .where('day', '<', dateOfDay(today - HOURLY_DAYS))
          .delete();
        for (const table of HOURLY_ROLL_UPS)
          await trx(table)
            .where('day', '<', dateOfDay(today - REPORT_HOURS_DAYS))
            .delete();
        return expired;
      }),
  };
};
