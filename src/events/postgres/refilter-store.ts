import type { Knex } from 'knex';
import { dateOfDay } from '../../base/utc-day.ts';
import { PROVISIONAL, type Hit, type HitKind, type HitSignals, type InvalidReason } from '../../ledger/hit.ts';
import { moveRows } from './move-rows.ts';
import { holdPartitions, partitionOf, partitionsOf } from './partitions.ts';
import { rollUpAll } from './roll-up-batches.ts';

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

/** What the daily caps of a line item, or the daily budget of a campaign, leave of a day for what is restored. Micros; Infinity: no limit. */
export interface DayRoom {
  readonly impressions: number;
  readonly spendMicros: number;
}

/**
 * Whole tokens, by their order: those whose rows are all final. A token without signals, with a hit that waits in
 * Postgres or is under judgement, or that has not ended at `endedBefore` is left out.
 */
const READ_TOKENS = `
  with tokens as (
    select distinct jti from events where day = cast(:onDay as date) and jti > :after order by jti limit :limit
  ), final as (
    select jti from tokens
    where exists (select from event_signals s where s.day = cast(:onDay as date) and s.jti = tokens.jti)
      and not exists (select from event_signals s where s.day = cast(:onDay as date) and s.jti = tokens.jti and s.token_ends_at >= :endedBefore)
      and not exists (select from pending_hits p where p.jti = tokens.jti)
      and not exists (select from events e where e.day = cast(:onDay as date) and e.jti = tokens.jti and e.invalid_reason = '${PROVISIONAL}')
  )
  select e.jti, e.kind, e.event_type as "eventType", e.screened, e.invalid_reason as reason, e.at, e.publisher_id as "publisherId",
         e.campaign_id as "campaignId", e.line_item_id as "lineItemId", e.creative_id as "creativeId", e.placement_id as "placementId", e.size,
         e.user_hash as "userHash", e.country, e.region, e.device, e.browser, e.billed_micros::float8 as "billedMicros", s.token_ends_at as "tokenEndsAt",
         jsonb_build_object('network', s.network, 'agent', s.agent, 'origin', s.origin, 'elsewhere', s.elsewhere) as signals, s.hit
  from final join events e using (jti) join lateral (
    select * from event_signals s
    where s.day = e.day and (s.jti, s.kind, s.event_type, s.screened) = (e.jti, e.kind, e.event_type, e.screened) limit 1
  ) s on true
  where e.day = cast(:onDay as date)
  order by e.jti, e.at`;

const LAST_TOKEN = `
  select max(jti) as last, count(*)::int as tokens
  from (select distinct jti from events where day = cast(:onDay as date) and jti > :after order by jti limit :limit) t`;

const KEEP_HITS = `
  with change as (
    select * from unnest(?::text[], ?::hit_kind[], ?::text[], ?::boolean[], ?::jsonb[]) as c (jti, kind, event_type, screened, to_hit)
  ), kept as (
    update event_signals s set hit = c.to_hit from change c
    where s.day = ?::date and c.to_hit is not null and (s.jti, s.kind, s.event_type, s.screened) = (c.jti, c.kind, c.event_type, c.screened)
  )
  delete from event_signals s using change c
  where s.day = ?::date and c.to_hit is null and (s.jti, s.kind, s.event_type, s.screened) = (c.jti, c.kind, c.event_type, c.screened)`;

/** What is delivered on a day, and what waits to be restored on it, against the daily caps of line items and the daily budgets of campaigns. */
const ROOM = `
  with waiting as (
    select (payload #>> '{ad,lineItemId}')::int as line_item_id, (payload #>> '{ad,campaignId}')::int as campaign_id,
           count(*) filter (where kind = 'impression') as impressions, sum((payload #>> '{ad,priceMicros}')::bigint) as spend_micros
    from pending_hits where jsonb_exists(payload, 'restored') and (payload #>> '{ad,day}')::int = :day group by 1, 2
  ), taken as (
    select line_item_id, campaign_id, impressions, spend_micros from daily_counts where day = :onDay::date
    union all table waiting
  )
  select 'l' || l.id as account, coalesce((l.daily_impression_cap - coalesce(t.impressions, 0))::float8, 'infinity') as impressions,
         coalesce((l.daily_spend_cap_micros - coalesce(t.spend_micros, 0))::float8, 'infinity') as "spendMicros"
  from line_items l
  left join (select line_item_id, sum(impressions) as impressions, sum(spend_micros) as spend_micros from taken group by 1) t on t.line_item_id = l.id
  union all
  select 'c' || c.id, 'infinity', coalesce((c.daily_budget_micros - coalesce(t.spend_micros, 0))::float8, 'infinity')
  from campaigns c left join (select campaign_id, sum(spend_micros) as spend_micros from taken group by 1) t on t.campaign_id = c.id`;

/** What `refilter` reads and changes in Postgres. Each method rejects when Postgres is unavailable. */
export const createRefilterStore = ({ knex }: { readonly knex: Knex }) => ({
  /** Whether the day has events, and still has the signals of their senders. */
  hasSignals: async (day: number): Promise<boolean> => {
    const date = dateOfDay(day);
    const [events, signals] = await Promise.all([partitionsOf(knex), partitionsOf(knex, 'event_signals')]);
    return events.includes(partitionOf(date)) && signals.includes(partitionOf(date, 'event_signals'));
  },

  /** Before the rows of a day are read by their tokens: so far nothing has looked for signals by token. */
  indexSignals: async (day: number): Promise<void> => {
    const partition = partitionOf(dateOfDay(day), 'event_signals');
    await knex.raw('create index if not exists ?? on ?? (jti)', [`${partition}_jti`, partition]);
  },

  /** How much the daily caps and budgets leave, by account (`accountField`). Line items and campaigns that are gone are not among them. */
  room: async (day: number): Promise<ReadonlyMap<string, DayRoom>> => {
    await rollUpAll(knex);
    const { rows } = await knex.raw<{ rows: (DayRoom & { readonly account: string })[] }>(ROOM, { onDay: dateOfDay(day), day });
    return new Map(rows.map(({ account, ...room }) => [account, room]));
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
      const { rows } = await trx.raw<{ rows: RefilterRow[] }>(READ_TOKENS, { ...range, endedBefore });
      const changes = await judge(rows, trx);
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
  await moveRows(
    trx,
    onDay,
    changes.map(({ row, reason }) => ({ ...row, reason, billedMicros: 0 })),
  );
  const hits = column(({ reason, hit }) => (reason === null ? null : JSON.stringify(hit)));
  await trx.raw(KEEP_HITS, [...key, hits, onDay, onDay] as unknown as Knex.RawBinding);
};
