import type { Knex } from 'knex';
import { hasEventRow } from '../events/postgres/event-store.ts';
import type { Hit } from '../ledger/hit.ts';

/** Hits stored in Postgres while Redis was unavailable, until they are folded into the ledger. */
export interface PendingHits {
  /**
   * Stores a hit, once per token and kind. `late`: by Postgres's clock the token has ended, and
   * nothing was stored. Rejects when Postgres is unavailable.
   */
  store(hit: Hit, shard: number): Promise<'stored' | 'duplicate' | 'late'>;
  /**
   * Passes all waiting hits to `fold`, oldest first, and deletes those that it settled. Resolves to
   * the number folded and whether that was all of them; undefined when another replica is folding.
   */
  foldAll(
    fold: (hits: readonly Hit[]) => Promise<readonly boolean[]>,
  ): Promise<{ readonly folded: number; readonly complete: boolean } | undefined>;
  count(): Promise<number>;
}

/** Any number that no other lock in the database uses: one replica folds at a time. */
const FOLD_LOCK = 7_240_117_003;
const BATCH = 500;
/**
 * Below the margin after which the ledger may release a hold (ledger/lua/account.lua), with room
 * for the difference of the clocks.
 */
const STORE_TIMEOUT_MS = 1_000;
const GRACE_S = 1;

/**
 * A hit whose Redis call timed out but ran is in the stream as well as here. The ledger recognizes
 * it by its token while that is remembered; after that its event row shows that it was counted.
 */
const FORGET_STORED = `
  delete from pending_hits p where p.stored_at < now() - interval '5 minutes' and ${hasEventRow('p')}`;

export const createPendingHits = ({ knex }: { readonly knex: Knex }): PendingHits => ({
  store: async (hit, shard) => {
    const key = [hit.ad.tokenId, hit.kind, hit.eventType, hit.invalidReason === 'prefetch' ? 'prefetch' : ''];
    const { rows } = await knex
      .raw<{ rows: { timely: boolean; stored: number }[] }>(
        `with timely as (select now() <= to_timestamp(?) as timely), inserted as (
           insert into pending_hits (jti, kind, event_type, invalid_reason, shard, payload)
           select ?, ?, ?, ?, ?, ?::jsonb from timely where timely on conflict do nothing returning 1)
         select timely, (select count(*) from inserted)::int as stored from timely`,
        [hit.ad.tokenExpS + GRACE_S, ...key, shard, JSON.stringify(hit)],
      )
      .timeout(STORE_TIMEOUT_MS, { cancel: true });
    const [row] = rows;
    if (!row?.timely) return 'late';
    return row.stored === 1 ? 'stored' : 'duplicate';
  },

  foldAll: (fold) =>
    knex.transaction(async (trx) => {
      const { rows: locks } = await trx.raw<{ rows: { mine: boolean }[] }>('select pg_try_advisory_xact_lock(?) as mine', [FOLD_LOCK]);
      if (!locks[0]?.mine) return undefined;
      await trx.raw(FORGET_STORED);
      let folded = 0;
      for (;;) {
        const { rows } = await trx.raw<{ rows: { ctid: string; payload: Hit }[] }>(
          'select ctid::text, payload from pending_hits order by stored_at limit ?',
          [BATCH],
        );
        if (rows.length === 0) return { folded, complete: true };
        const taken = await fold(rows.map(({ payload }) => payload));
        const done = rows.filter((_, i) => taken[i]).map(({ ctid }) => ctid);
        await trx.raw('delete from pending_hits where ctid = any(?::tid[])', [done]);
        folded += done.length;
        if (done.length < rows.length) return { folded, complete: false };
      }
    }),

  count: async () => {
    const { rows } = await knex.raw<{ rows: { count: number }[] }>('select count(*)::int as count from pending_hits');
    return rows[0]?.count ?? 0;
  },
});
