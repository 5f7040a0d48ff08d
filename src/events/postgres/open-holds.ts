import type { Knex } from 'knex';
import { dayOf } from '../../base/utc-day.ts';
import type { RebuiltHold } from '../../ledger/books/books-server.ts';

/** What is left of a line item's hold. */
export interface LineItemHold extends RebuiltHold {
  readonly lineItemId: number;
  readonly campaignId: number;
}

/**
 * A hit was stored in Postgres at most a second after the end of its hold, so the holds of those that still wait for the
 * ledger ended after the oldest was stored, less the clocks' difference.
 */
const HOLDS = `
  with asked as (
    select * from unnest(:campaigns::int[], :shards::int[]) as of (campaign_id, shard)
  ), waiting as (
    select shard, least(now(), (select min(stored_at) from pending_hits p where p.shard = s.shard)) - interval '1 minute' as since
    from (select distinct shard from asked) s
  )
  select line_item_id as "lineItemId", campaign_id as "campaignId", to_char(day, 'YYYY-MM-DD') as day, hold_end::float8 as "holdEndMs",
         (granted - settled)::float8 as count, (granted_micros - settled_micros)::float8 as micros
  from asked join waiting using (shard) join open_holds using (campaign_id)
  where hold_end > extract(epoch from since) * 1000
  order by 4, 1, 3`;

/**
 * What is held of campaigns.
 *
 * @param shards of the campaigns, by their id. Rejects when Postgres is unavailable
 */
export const readHolds = async (trx: Knex, shards: ReadonlyMap<number, number>): Promise<readonly LineItemHold[]> => {
  const { rows } = await trx.raw<{ rows: (Omit<LineItemHold, 'day'> & { readonly day: string })[] }>(HOLDS, {
    campaigns: [...shards.keys()] as unknown as Knex.RawBinding,
    shards: [...shards.values()] as unknown as Knex.RawBinding,
  });
  return rows.map(({ day, ...hold }) => ({ ...hold, day: dayOf(Date.parse(day)) }));
};
