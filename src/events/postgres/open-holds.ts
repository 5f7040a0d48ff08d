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
  with waiting as (
    select least(now(), (select min(stored_at) from pending_hits where shard = :shard)) - interval '1 minute' as since
  )
  select line_item_id as "lineItemId", campaign_id as "campaignId", to_char(day, 'YYYY-MM-DD') as day, hold_end::float8 as "holdEndMs",
         (granted - settled)::float8 as count, (granted_micros - settled_micros)::float8 as micros
  from open_holds, waiting
  where campaign_id = any(:campaigns) and hold_end > extract(epoch from since) * 1000
  order by 4, 1, 3`;

/** What is held of these campaigns, which are of one shard. Rejects when Postgres is unavailable. */
export const readHolds = async (trx: Knex, shard: number, campaigns: readonly number[]): Promise<readonly LineItemHold[]> => {
  const { rows } = await trx.raw<{ rows: (Omit<LineItemHold, 'day'> & { readonly day: string })[] }>(HOLDS, {
    shard,
    campaigns: [...campaigns] as unknown as Knex.RawBinding,
  });
  return rows.map(({ day, ...hold }) => ({ ...hold, day: dayOf(Date.parse(day)) }));
};
