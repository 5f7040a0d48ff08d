import type { Knex } from 'knex';
import type { Ids } from '../../access/scope.ts';
import { MS_PER_DAY } from '../../base/utc-day.ts';
import type { DeliveryStatus } from '../../decision/no-bid-reason.ts';
import type { LineItemStatus } from '../status/status.ts';
import type { ReadStatuses } from '../status/read-statuses.ts';

/*
 * What needs attention about line items: the home screen and alerts find it here. An alert interrupts
 * people, so find-alerts.ts raises it for what is far behind only.
 */

/** A flight that ends, has ended or begins within this time is near. */
export const SOON_MS = 3 * MS_PER_DAY;

/** SQL: the line items that are not archived, with the part of their flight that their campaign leaves. */
export const FLIGHTS = `
  flights as (
    select l.*, c.publisher_id, p.currency, c.name as campaign, c.budget_micros as campaign_budget_micros, l.active and c.active as runs,
           greatest(l.start_at, c.start_at) as from_at, least(l.end_at, c.end_at) as until_at
    from line_items l join campaigns c on c.id = l.campaign_id join publishers p on p.id = c.publisher_id
    where not (l.archived or c.archived or p.archived)
  )`;

/** SQL: what a line item brings when it delivers what was agreed, in micros; null: nothing is agreed. */
export const VALUE = `
  case when type <> 'direct' then null
       when lower(budget_type) = 'cpc' and goal_clicks is not null then goal_clicks::float8 * cpc_micros
       when lower(budget_type) in ('cpm', 'vcpm') and goal_impressions is not null then goal_impressions::float8 * cpm_micros / 1000
       else budget_micros end`;

/** Which of the line items that are in flight or near it are found. */
const CHOICES = {
  /** In flight or about to begin, by id. */
  current: 'until_at > :at order by id',
  /** In flight, and of those that can be behind, because they have a goal or are paced over the day, or that end soon. By id. */
  watched: 'from_at <= :at and until_at > :at and (can_be_behind or ends_soon) order by id',
  /** The last to end first. */
  ended: 'until_at <= :at order by until_at desc, id',
} as const;

/** A flight ends soon: what is left is at most three days, and less than what has passed. */
const nearFlights = (choice: keyof typeof CHOICES): string => `
  with ${FLIGHTS}, near as (
    select id, name, publisher_id, currency, from_at, until_at, ${VALUE} as value_micros,
           (lower(pacing) in ('even', 'pid') and daily_impression_cap > 0) or goal_impressions is not null or goal_clicks is not null as can_be_behind,
           from_at <= :at and until_at > :at and until_at <= :to and cast(:at as timestamptz) - from_at > until_at - :at as ends_soon
    from flights where from_at <= :to and until_at > :from and (cast(:publishers as int[]) is null or publisher_id = any(cast(:publishers as int[])))
  )
  select id, name, publisher_id as "publisherId", currency, extract(epoch from until_at)::float8 * 1000 as "endMs", ends_soon as "endsSoon",
         extract(epoch from from_at)::float8 * 1000 as "startMs", value_micros::float8 as "valueMicros"
  from near where ${CHOICES[choice]} limit :limit`;

/** A line item and the part of its flight that its campaign leaves, in epoch milliseconds. */
export interface Booking {
  readonly id: number;
  readonly name: string;
  readonly publisherId: number;
  /** Of its money. */
  readonly currency: string;
  readonly endMs: number;
  readonly endsSoon: boolean;
  readonly startMs: number;
  /** What it brings when it delivers what was agreed; null: nothing is agreed. */
  readonly valueMicros: number | null;
}

export interface JudgedBooking extends Booking {
  readonly status: LineItemStatus;
}

/** At most `limit` line items of some publishers in flight or near it. Rejects when Postgres is unavailable. */
export const findBookings = async (
  knex: Knex,
  choice: keyof typeof CHOICES,
  { atMs, limit, publishers = null }: { readonly atMs: number; readonly limit: number; readonly publishers?: Ids },
): Promise<readonly Booking[]> => {
  const [from, at, to] = [atMs - SOON_MS, atMs, atMs + SOON_MS].map((ms) => new Date(ms).toISOString()) as [string, string, string];
  return (await knex.raw<{ rows: Booking[] }>(nearFlights(choice), { from, at, to, limit, publishers } as Record<string, Knex.RawBinding>))
    .rows;
};

/** With the statuses that lists and pages show. */
export const judgeBookings = async (readStatuses: ReadStatuses, bookings: readonly Booking[]): Promise<readonly JudgedBooking[]> => {
  const statuses = await readStatuses(bookings.map(({ id }) => id));
  return bookings.flatMap((booking) => {
    const status = statuses.get(booking.id);
    return status ? [{ ...booking, status }] : [];
  });
};

/**
 * What would be lost if a line item went on like this, in micros: of one that is behind, that part of all it should bring; of one that is not
 * served at all, that of the days that are left. null: nothing is agreed.
 */
export const atRiskMicros = ({ status, valueMicros, startMs, endMs }: JudgedBooking, atMs: number): number | null => {
  if (valueMicros === null) return null;
  if (status.value !== 'cannot serve' && status.value !== 'outranked') return status.behind === null ? 0 : valueMicros * status.off_pace;
  return valueMicros * Math.min(1, Math.max(0, (endMs - atMs) / Math.max(1, endMs - startMs)));
};

/** Whatever keeps them from it, most behind first, with what is behind in words. */
export const behindOf = (judged: readonly JudgedBooking[]): readonly (JudgedBooking & { readonly behind: string })[] =>
  judged
    .flatMap((one) => (one.status.behind === null ? [] : [{ ...one, behind: one.status.behind }]))
    .toSorted((a, b) => b.status.off_pace - a.status.off_pace);

/** Staff stopped it, or it has delivered what was booked: to extend its flight would change nothing. */
const DONE: readonly DeliveryStatus[] = ['paused', 'archived', 'finished', 'budget spent', 'goal reached'];

/** The first to end first. */
export const endingSoon = (judged: readonly JudgedBooking[]): readonly JudgedBooking[] =>
  judged.filter((one) => one.endsSoon && !DONE.includes(one.status.value)).toSorted((a, b) => a.endMs - b.endMs);
