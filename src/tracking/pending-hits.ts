import type { Knex } from 'knex';
import { haveEventRows, impressionTimes } from '../events/postgres/event-store.ts';
import type { Hit } from '../ledger/hit.ts';

/** Hits stored in Postgres while Redis was unavailable, until they are folded into the ledger. */
export interface PendingHits {
  /**
   * Stores a hit, once per token and kind. `late`: by Postgres's clock the token has ended, and
   * nothing was stored. Rejects when Postgres is unavailable.
   */
  store(hit: Hit, shard: number): Promise<'stored' | 'duplicate' | 'late'>;
  /** The shards, of `shards` in all, in which hits wait. */
  waitingShards(shards: number): Promise<ReadonlySet<number>>;
  /**
   * Passes the next hits of a shard, oldest first, to `fold` and deletes those for which it
   * resolves to true. Each page is a transaction. undefined: another replica folds this shard.
   */
  foldPage(
    shard: number,
    afterId: string,
    fold: (hits: readonly Hit[], rows: EventRows) => Promise<readonly boolean[]>,
  ): Promise<FoldedPage | undefined>;
  count(): Promise<number>;
  /** How long the oldest hit has waited; 0 when none waits. */
  ageSeconds(): Promise<number>;
}

/** Answers from the event rows, in the order of the hits. */
export interface EventRows {
  /** Whether each has its row. */
  have(hits: readonly Hit[]): Promise<readonly boolean[]>;
  /** When the impression of each token was counted, epoch ms; undefined: there is no row. */
  impressionTimes(hits: readonly Hit[]): Promise<readonly (number | undefined)[]>;
}

export interface FoldedPage {
  /** Where the next page begins; undefined: this was the last. */
  readonly lastId: string | undefined;
  /** Whether `fold` settled every hit of the page. */
  readonly complete: boolean;
}

/** The first of two numbers that no other lock in the database uses; the second is the shard. */
const FOLD_LOCK = 7_240_118;
const PAGE = 500;
/**
 * Below the margin after which the ledger may release a hold (ledger/lua/holds.lua), with room
 * for the difference of the clocks.
 */
const STORE_TIMEOUT_MS = 1_000;
const GRACE_S = 1;

export const createPendingHits = ({ knex }: { readonly knex: Knex }): PendingHits => ({
  store: async (hit, shard) => {
    const key = [hit.ad.tokenId, hit.kind, hit.eventType, hit.invalidReason === '' ? '' : 'filtered'];
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

  waitingShards: async (shards) => {
    const { rows } = await knex.raw<{ rows: { shard: number }[] }>(
      'select shard from generate_series(0, ? - 1) as shard where exists (select from pending_hits p where p.shard = shard.shard)',
      [shards],
    );
    return new Set(rows.map(({ shard }) => shard));
  },

  foldPage: (shard, afterId, fold) =>
    knex.transaction(async (trx) => {
      const { rows: locks } = await trx.raw<{ rows: { mine: boolean }[] }>('select pg_try_advisory_xact_lock(?, ?) as mine', [
        FOLD_LOCK,
        shard,
      ]);
      if (!locks[0]?.mine) return undefined;
      const { rows } = await trx.raw<{ rows: { id: string; payload: Hit }[] }>(
        'select id, payload from pending_hits where shard = ? and id > ? order by id limit ?',
        [shard, afterId, PAGE],
      );
      const settled = await fold(
        rows.map(({ payload }) => payload),
        { have: (hits) => haveEventRows(trx, hits), impressionTimes: (hits) => impressionTimes(trx, hits) },
      );
      const done = rows.filter((_, i) => settled[i]).map(({ id }) => id);
      await trx.raw('delete from pending_hits where shard = ? and id = any(?::bigint[])', [shard, done]);
      return { lastId: rows.length < PAGE ? undefined : rows.at(-1)?.id, complete: done.length === rows.length };
    }),

  count: async () => {
    const { rows } = await knex.raw<{ rows: { count: number }[] }>('select count(*)::int as count from pending_hits');
    return rows[0]?.count ?? 0;
  },

  ageSeconds: async () => {
    const { rows } = await knex.raw<{ rows: { age: number }[] }>(
      'select coalesce(extract(epoch from now() - min(stored_at)), 0)::float8 as age from pending_hits',
    );
    return rows[0]?.age ?? 0;
  },
});
