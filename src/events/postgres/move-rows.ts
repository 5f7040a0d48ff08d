import type { Knex } from 'knex';
import { dateOfDay } from '../../base/utc-day.ts';
import { PROVISIONAL, type HitKind, type HitState } from '../../ledger/hit.ts';
import {
  ADD_TO_DAILY,
  ADD_TO_EVENTS,
  ADD_TO_FILTERED,
  ADD_TO_HOURLY,
  COUNTED,
  DAILY_KEY,
  EVENT_KEY,
  HOURLY_KEY,
  IN_DAILY,
} from './count-tables.ts';
import type { StoredEvent } from './stored-event.ts';
import { addToRollUps } from './roll-ups.ts';

/** An event row of a day, and what becomes of it. */
export interface MovedRow {
  readonly jti: string;
  readonly kind: HitKind;
  readonly eventType: string;
  readonly screened: boolean;
  /** From now on; null: the row is deleted. */
  readonly reason: HitState | null;
  readonly billedMicros: number;
}

/** The columns of an event that stay when its reason changes. */
const KEPT = `day, at, zone, publisher_id, campaign_id, line_item_id, creative_id, placement_id, size, advertiser_id, country, region, device,
  browser, kind, event_type, is_repeat`;
const ROW_KEY = 'jti, kind, event_type, screened';
const SAME_ROW = '(e.jti, e.kind, e.event_type, e.screened) = (o.jti, o.kind, o.event_type, o.screened)';

// The rows and every count of them in one statement. A row is locked before it is read: another writer that moves the same
// provisional row finds it judged.
const moveWhere = (condition: string): string => `
  with change as (
    select * from unnest(:jtis::text[], :kinds::text[], :types::text[], :screened::boolean[], :reasons::text[], :billed::bigint[])
      as c (${ROW_KEY}, to_reason, to_billed)
  ), old as materialized (
    select e.*, c.to_reason, c.to_billed from change c join events e using (${ROW_KEY})
    where e.day = :onDay::date and ${condition} for update of e
  ), changed as (
    update events e set invalid_reason = o.to_reason, billed_micros = o.to_billed from old o
    where e.day = :onDay::date and o.to_reason is not null and ${SAME_ROW}
  ), deleted as (
    delete from events e using old o where e.day = :onDay::date and o.to_reason is null and ${SAME_ROW}
  ), moved as (
    select ${KEPT}, invalid_reason, billed_micros, -1 as sign from old
    union all select ${KEPT}, to_reason, to_billed, 1 from old where to_reason is not null
  ), counted as (
    insert into daily_counts (${DAILY_KEY}, impressions, clicks, repeat_clicks, spend_micros)
    select ${DAILY_KEY}, coalesce(sum(sign) filter (where kind = 'impression'), 0), coalesce(sum(sign) filter (where kind = 'click'), 0),
           coalesce(sum(sign) filter (where is_repeat), 0), sum(sign * billed_micros)
    from moved where ${IN_DAILY}
    group by ${DAILY_KEY} order by ${DAILY_KEY}
    ${ADD_TO_DAILY}
  ), tallied as (
    insert into event_counts (${EVENT_KEY}, count)
    select ${EVENT_KEY}, sum(sign) from moved where kind = 'event' and ${COUNTED}
    group by ${EVENT_KEY} order by ${EVENT_KEY}
    ${ADD_TO_EVENTS}
  ), filtered as (
    insert into filtered_counts (${DAILY_KEY}, kind, reason, count)
    select ${DAILY_KEY}, kind, invalid_reason, sum(sign) from moved where not (${COUNTED})
    group by ${DAILY_KEY}, kind, invalid_reason order by ${DAILY_KEY}, kind, invalid_reason
    ${ADD_TO_FILTERED}
  ), timed as (
    insert into hourly_counts (${HOURLY_KEY}, impressions)
    select (at at time zone 'utc')::date, extract(hour from at at time zone 'utc'), publisher_id, sum(sign)
    from moved where kind = 'impression' and ${COUNTED}
    group by 1, 2, 3 order by 1, 2, 3
    ${ADD_TO_HOURLY}
  ), ${addToRollUps('moved')}
  select count(*)::int as moved from old`;

const MOVE = moveWhere('true');
const MOVE_PROVISIONAL = moveWhere(`e.invalid_reason = '${PROVISIONAL}'`);

const move = async (trx: Knex.Transaction, sql: string, onDay: string, rows: readonly MovedRow[]): Promise<void> => {
  const column = <T>(read: (row: MovedRow) => T): T[] => rows.map(read);
  await trx.raw(sql, {
    onDay,
    jtis: column(({ jti }) => jti),
    kinds: column(({ kind }) => kind),
    types: column(({ eventType }) => eventType),
    screened: column(({ screened }) => screened),
    reasons: column(({ reason }) => reason),
    billed: column(({ billedMicros }) => billedMicros),
  } as unknown as Knex.ValueDict);
};

/** Changes or deletes event rows of a day, with every count of them. */
export const moveRows = (trx: Knex.Transaction, onDay: string, rows: readonly MovedRow[]): Promise<void> => move(trx, MOVE, onDay, rows);

/** Gives provisional rows what their clicks were judged to be; rows that are judged already stay as they are. */
export const moveProvisional = async (trx: Knex.Transaction, events: readonly StoredEvent[]): Promise<void> => {
  for (const day of new Set(events.map(({ hit }) => hit.ad.day))) {
    const rows = events
      .filter(({ hit }) => hit.ad.day === day)
      .map(({ hit: { ad, kind, eventType, invalidReason }, reason, billedMicros }) => ({
        ...{ jti: ad.tokenId, kind, eventType, screened: invalidReason !== '', reason, billedMicros },
      }));
    await move(trx, MOVE_PROVISIONAL, dateOfDay(day), rows);
  }
};
