import type { Knex } from 'knex';
import { dateOfDay } from '../../base/utc-day.ts';
import type { Hit, HitKind, HitSignals, InvalidReason } from '../../ledger/hit.ts';
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
} from './event-store.ts';
import { holdPartitions, partitionOf, partitionsOf } from './partitions.ts';
import { addToRollUps } from './roll-ups.ts';

/** An event row, with what judges it again. */
export interface RefilterRow {
  readonly jti: string;
  readonly kind: HitKind;
  readonly eventType: string;
  readonly screened: boolean;
  readonly reason: '' | InvalidReason;
  readonly at: Date;
  readonly publisherId: number;
  readonly campaignId: number;
  readonly lineItemId: number;
  readonly creativeId: number;
  readonly placementId: string;
  /** '': not known. */
  readonly size: string;
  /** '': none. */
  readonly userHash: string;
  readonly country: string | null;
  readonly region: string | null;
  readonly device: string | null;
  readonly browser: string | null;
  readonly billedMicros: number;
  readonly tokenEndsAt: Date;
  readonly signals: HitSignals;
  /** Of a filtered hit: what counting it takes. */
  readonly hit: Hit | null;
}

/** What becomes of a row. */
export interface RowChange {
  readonly row: RefilterRow;
  /** The reason from now on; null: the row is deleted, because its hit will be settled again. */
  readonly reason: InvalidReason | null;
  /** Stored beside a row that is filtered: what counting it takes. */
  readonly hit: Hit;
}

/** The line items of a day whose daily caps bound what is restored. Micros; null: no limit. */
export interface DayRoom {
  readonly impressions: number | null;
  readonly spendMicros: number | null;
}

/**
 * Whole tokens, by their order: those whose rows are all final. A token without signals, with a hit
 * that waits in Postgres, or that has not ended at `endedBefore` is left out.
 */
const READ_TOKENS = `
  with tokens as (
    select distinct jti from events where day = cast(:onDay as date) and jti > :after order by jti limit :limit
  ), final as (
    select jti from tokens
    where exists (select from event_signals s where s.day = cast(:onDay as date) and s.jti = tokens.jti)
      and not exists (select from event_signals s where s.day = cast(:onDay as date) and s.jti = tokens.jti and s.token_ends_at >= :endedBefore)
      and not exists (select from pending_hits p where p.jti = tokens.jti)
  )
  select e.jti, e.kind, e.event_type as "eventType", e.screened, e.invalid_reason as reason, e.at, e.publisher_id as "publisherId",
         e.campaign_id as "campaignId", e.line_item_id as "lineItemId", e.creative_id as "creativeId", e.placement_id as "placementId", e.size,
         e.user_hash as "userHash", e.country, e.region, e.device, e.browser, e.billed_micros as "billedMicros", s.token_ends_at as "tokenEndsAt",
         jsonb_build_object('network', s.network, 'agent', s.agent, 'origin', s.origin, 'elsewhere', s.elsewhere) as signals, s.hit
  from final join events e using (jti) join event_signals s using (jti, kind, event_type, screened)
  where e.day = cast(:onDay as date) and s.day = cast(:onDay as date)
  order by e.jti, e.at`;

const LAST_TOKEN = `
  select max(jti) as last, count(*)::int as tokens
  from (select distinct jti from events where day = cast(:onDay as date) and jti > :after order by jti limit :limit) t`;

/** The columns of an event that stay when its reason changes. */
const MOVED = `at, zone, publisher_id, campaign_id, line_item_id, creative_id, placement_id, size, advertiser_id, country, region, device, browser, kind, event_type`;

/** Of the order of APPEND (event-store.ts): the rows and every count of them in one statement. */
const CHANGE_ROWS = `
  with change as (
    select * from unnest(?::text[], ?::text[], ?::text[], ?::boolean[], ?::text[]) as c (jti, kind, event_type, screened, to_reason)
  ), old as (
    select e.*, c.to_reason from change c join events e using (jti, kind, event_type, screened) where e.day = ?::date
  ), filtered_again as (
    update events e set invalid_reason = c.to_reason, billed_micros = 0 from change c
    where e.day = ?::date and c.to_reason is not null
      and (e.jti, e.kind, e.event_type, e.screened) = (c.jti, c.kind, c.event_type, c.screened)
  ), restored as (
    delete from events e using change c
    where e.day = ?::date and c.to_reason is null and (e.jti, e.kind, e.event_type, e.screened) = (c.jti, c.kind, c.event_type, c.screened)
  ), counted as (
    insert into daily_counts (${DAILY_KEY}, impressions, clicks, spend_micros)
    select ${DAILY_KEY}, -count(*) filter (where kind = 'impression'), -count(*) filter (where kind = 'click'), -sum(billed_micros)
    from old where ${IN_DAILY}
    group by ${DAILY_KEY} order by ${DAILY_KEY}
    ${ADD_TO_DAILY}
  ), tallied as (
    insert into event_counts (${EVENT_KEY}, count)
    select ${EVENT_KEY}, -count(*) from old where kind = 'event' and ${COUNTED}
    group by ${EVENT_KEY} order by ${EVENT_KEY}
    ${ADD_TO_EVENTS}
  ), filtered as (
    insert into filtered_counts (${DAILY_KEY}, kind, reason, count)
    select ${DAILY_KEY}, kind, reason, sum(n) from (
      select ${DAILY_KEY}, kind, invalid_reason as reason, -1 as n from old where not (${COUNTED})
      union all select ${DAILY_KEY}, kind, to_reason, 1 from old where to_reason is not null
    ) moved
    group by ${DAILY_KEY}, kind, reason order by ${DAILY_KEY}, kind, reason
    ${ADD_TO_FILTERED}
  ), timed as (
    insert into hourly_counts (${HOURLY_KEY}, impressions)
    select (at at time zone 'utc')::date, extract(hour from at at time zone 'utc'), publisher_id, -count(*)
    from old where kind = 'impression' and ${COUNTED}
    group by 1, 2, 3 order by 1, 2, 3
    ${ADD_TO_HOURLY}
  ), signed as (
    select ${MOVED}, invalid_reason, billed_micros, -1 as sign from old
    union all select ${MOVED}, to_reason, 0, 1 from old where to_reason is not null
  ), ${addToRollUps('signed')}
  select count(*)::int as changed from old`;

const KEEP_HITS = `
  with change as (
    select * from unnest(?::text[], ?::text[], ?::text[], ?::boolean[], ?::jsonb[]) as c (jti, kind, event_type, screened, to_hit)
  ), kept as (
    update event_signals s set hit = c.to_hit from change c
    where s.day = ?::date and c.to_hit is not null and (s.jti, s.kind, s.event_type, s.screened) = (c.jti, c.kind, c.event_type, c.screened)
  )
  delete from event_signals s using change c
  where s.day = ?::date and c.to_hit is null and (s.jti, s.kind, s.event_type, s.screened) = (c.jti, c.kind, c.event_type, c.screened)`;

/** What is delivered on a day, and what waits to be restored on it, against the daily caps. */
const ROOM = `
  select l.id as "lineItemId", l.daily_impression_cap - coalesce(d.impressions, 0) - coalesce(p.impressions, 0) as impressions,
         l.daily_spend_cap_micros - coalesce(d.spend_micros, 0) - coalesce(p.spend_micros, 0) as "spendMicros"
  from line_items l
  left join (select line_item_id, sum(impressions) as impressions, sum(spend_micros) as spend_micros
             from daily_counts where day = :onDay::date group by 1) d on d.line_item_id = l.id
  left join (select (payload #>> '{ad,lineItemId}')::int as line_item_id, count(*) filter (where kind = 'impression') as impressions,
                    sum((payload #>> '{ad,priceMicros}')::bigint) as spend_micros
             from pending_hits where jsonb_exists(payload, 'restored') and (payload #>> '{ad,day}')::int = :day group by 1) p on p.line_item_id = l.id`;

/** What `refilter` reads and changes in Postgres. Each method rejects when Postgres is unavailable. */
export const createRefilterStore = ({ knex }: { readonly knex: Knex }) => ({
  /** Whether the day has events, and still has the signals of their senders. */
  hasSignals: async (day: number): Promise<boolean> => {
    const date = dateOfDay(day);
    const [events, signals] = await Promise.all([partitionsOf(knex), partitionsOf(knex, 'event_signals')]);
    return events.includes(partitionOf(date)) && signals.includes(partitionOf(date, 'event_signals'));
  },

  /** How much the daily caps leave, by line item. Line items that are gone are not among them. */
  room: async (day: number): Promise<ReadonlyMap<number, DayRoom>> => {
    const { rows } = await knex.raw<{ rows: { lineItemId: number; impressions: string | null; spendMicros: string | null }[] }>(ROOM, {
      onDay: dateOfDay(day),
      day,
    });
    const numberOf = (text: string | null) => (text === null ? null : Number(text));
    return new Map(rows.map((row) => [row.lineItemId, { impressions: numberOf(row.impressions), spendMicros: numberOf(row.spendMicros) }]));
  },

  /**
   * Passes the rows of the next `limit` tokens after `after` that are final to `judge`, and applies
   * what it returns in the same transaction. Resolves to the last token; undefined: these were all.
   */
  changeTokens: (
    {
      day,
      after,
      limit,
      endedBefore,
    }: { readonly day: number; readonly after: string; readonly limit: number; readonly endedBefore: Date },
    judge: (rows: readonly RefilterRow[], trx: Knex.Transaction) => Promise<readonly RowChange[]>,
  ): Promise<string | undefined> =>
    knex.transaction(async (trx) => {
      const onDay = dateOfDay(day);
      if ((await holdPartitions(trx, [day])).length > 0) return undefined;
      const range = { onDay, after, limit };
      const { rows: last } = await trx.raw<{ rows: { last: string | null; tokens: number }[] }>(LAST_TOKEN, range);
      const { rows } = await trx.raw<{ rows: (Omit<RefilterRow, 'billedMicros'> & { readonly billedMicros: string })[] }>(READ_TOKENS, {
        ...range,
        endedBefore,
      });
      const changes = await judge(
        rows.map((row) => ({ ...row, billedMicros: Number(row.billedMicros) })),
        trx,
      );
      if (changes.length > 0) await apply(trx, onDay, changes);
      return last[0]?.tokens === limit ? (last[0].last ?? undefined) : undefined;
    }),
});

export type RefilterStore = ReturnType<typeof createRefilterStore>;

const apply = async (trx: Knex.Transaction, onDay: string, changes: readonly RowChange[]): Promise<void> => {
  const column = <T>(read: (change: RowChange) => T): T[] => changes.map(read);
  const key = [
    column(({ row }) => row.jti),
    column(({ row }) => row.kind),
    column(({ row }) => row.eventType),
    column(({ row }) => row.screened),
  ];
  await trx.raw(CHANGE_ROWS, [...key, column(({ reason }) => reason), onDay, onDay, onDay] as unknown as Knex.RawBinding);
  const hits = column(({ reason, hit }) => (reason === null ? null : JSON.stringify(hit)));
  await trx.raw(KEEP_HITS, [...key, hits, onDay, onDay] as unknown as Knex.RawBinding);
};
