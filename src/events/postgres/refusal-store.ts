import type { Knex } from 'knex';
import { NoBidReason } from '../../decision/no-bid-reason.ts';
import { MS_PER_DAY, MS_PER_HOUR } from '../../base/utc-day.ts';
import type { RefusalCount } from '../refusal-table.ts';

export interface RefusalSums {
  readonly lost: number;
  /** Of those lost. */
  readonly outranked: number;
  /** Not among those lost. */
  readonly offTarget: number;
}

export interface HourlyRefusals extends Omit<RefusalCount, 'lineItemId'> {
  readonly hour: Date;
}

export const REFUSAL_DAYS = 14;

/** Rows of one statement: a lock of 5 ms. */
const MAX_ROWS = 2_048;

const ADD = `
  insert into refusals (hour, line_item_id, reason, outranked_by, impressions)
  select ?::timestamptz, * from unnest(?::int[], ?::smallint[], ?::int[], ?::bigint[])
  order by 2, 3, 4
  on conflict (line_item_id, hour, reason, outranked_by)
  do update set impressions = refusals.impressions + excluded.impressions`;

const RECENT = `
  select line_item_id as id,
         coalesce(sum(impressions) filter (where reason <> :targeting), 0)::float8 as lost,
         coalesce(sum(impressions) filter (where reason = 0), 0)::float8 as outranked,
         coalesce(sum(impressions) filter (where reason = :targeting), 0)::float8 as "offTarget"
  from refusals where line_item_id = any(:ids) and hour >= :from
  group by 1`;

/** Refusals of line items by UTC hour. Every method rejects when Postgres is unavailable. */
export const createRefusalStore = ({ knex }: { readonly knex: Knex }) => ({
  /** Adds to what is stored of the hour. */
  add: (hourMs: number, counts: readonly RefusalCount[]): Promise<void> =>
    knex.transaction(async (trx) => {
      const ordered = [...counts].sort((a, b) => a.lineItemId - b.lineItemId);
      for (let at = 0; at < ordered.length; at += MAX_ROWS) {
        const rows = ordered.slice(at, at + MAX_ROWS);
        const column = (name: keyof RefusalCount): number[] => rows.map((row) => row[name]);
        await trx.raw(ADD, [
          new Date(hourMs).toISOString(),
          column('lineItemId'),
          column('reason'),
          column('outrankedBy'),
          column('impressions'),
        ] as unknown as Knex.RawBinding);
      }
    }),

  /** Deletes what is older than REFUSAL_DAYS. */
  prune: async (nowMs: number): Promise<void> => {
    await knex('refusals')
      .where('hour', '<', new Date(nowMs - REFUSAL_DAYS * MS_PER_DAY))
      .delete();
  },

  /** By hour, in [fromMs, toMs). */
  read: async (lineItemId: number, fromMs: number, toMs: number): Promise<readonly HourlyRefusals[]> => {
    const rows = await knex('refusals')
      .where({ line_item_id: lineItemId })
      .where('hour', '>=', new Date(fromMs))
      .where('hour', '<', new Date(toMs))
      .orderBy(['hour', 'reason', 'outranked_by'])
      .select<HourlyRefusals[]>('hour', 'reason', { outrankedBy: 'outranked_by' }, knex.raw('impressions::float8'));
    return rows;
  },

  /** Sums since the hour of `fromMs`, by line item. */
  recent: async (lineItemIds: readonly number[], fromMs: number): Promise<ReadonlyMap<number, RefusalSums>> => {
    const { rows } = await knex.raw<{ rows: (RefusalSums & { readonly id: number })[] }>(RECENT, {
      ids: lineItemIds,
      from: new Date(fromMs - (fromMs % MS_PER_HOUR)),
      targeting: NoBidReason.Targeting,
    });
    return new Map(rows.map(({ id, ...sums }) => [id, sums]));
  },
});

export type RefusalStore = ReturnType<typeof createRefusalStore>;
