import type { Knex } from 'knex';
import { tryLock } from '../base/advisory-locks.ts';
import { createDeadEvents, type DeadEvent } from '../events/postgres/dead-events.ts';
import { impressionTimes, releasedTokens, rowStates, type RowState } from '../events/postgres/event-rows.ts';
import { endMsOf, type Hit } from '../ledger/hit.ts';
import { readHit } from '../ledger/read-hit.ts';
import { pendingHit } from '../ledger/stored-hit.ts';

/** Answers from the event rows, in the order of the hits. */
export interface EventRows {
  states(hits: readonly Hit[]): Promise<readonly RowState[]>;
  /** The tokens of ads that gave their place back. */
  released(hits: readonly Hit[]): Promise<ReadonlySet<string>>;
  /** When the impression of each token was counted, epoch ms; undefined: there is no row. */
  impressionTimes(hits: readonly Hit[]): Promise<readonly (number | undefined)[]>;
}

export interface FoldedPage {
  /** Where the next page begins; undefined: this was the last. */
  readonly lastId: string | undefined;
  /** Whether `fold` settled every hit of the page. */
  readonly complete: boolean;
  /** The rows that became dead events. */
  readonly dead: readonly DeadEvent[];
}

const PAGE = 500;
/**
 * Below the margin after which the ledger may release a hold (ledger/lua/account.lua), with room
 * for the difference of the clocks.
 */
const STORE_TIMEOUT_MS = 1_000;
const GRACE_S = 1;

/** What is stored once (jti, kind, event_type, invalid_reason), the shard and the payload. */
const columnsOf = (hit: Hit, shard: number): (string | number)[] => [
  ...[hit.ad.tokenId, hit.kind, hit.eventType, hit.invalidReason === '' ? '' : 'filtered'],
  ...[shard, JSON.stringify(pendingHit(hit))],
];
const COLUMNS = 'jti, kind, event_type, invalid_reason, shard, payload';

export interface PendingHitsOptions {
  readonly knex: Knex;
  /** After so long, storing a hit is cancelled. Default: 1 s. */
  readonly storeTimeoutMs?: number;
}

/** Hits stored in Postgres while Redis was unavailable, until they are folded into the ledger. */
export const createPendingHits = ({ knex, storeTimeoutMs = STORE_TIMEOUT_MS }: PendingHitsOptions) => ({
  /**
   * Stores a hit, once per token and kind. `late`: by Postgres's clock it comes after its end, and
   * nothing was stored. Rejects when Postgres is unavailable.
   */
  store: async (hit: Hit, shard: number): Promise<'stored' | 'duplicate' | 'late'> => {
    const { rows } = await knex
      .raw<{ rows: { timely: boolean; stored: number }[] }>(
        `with timely as (select now() <= to_timestamp(?) as timely), inserted as (
           insert into pending_hits (${COLUMNS})
           select ?, ?, ?, ?, ?, ?::jsonb from timely where timely on conflict do nothing returning 1)
         select timely, (select count(*) from inserted)::int as stored from timely`,
        [endMsOf(hit) / 1000 + GRACE_S, ...columnsOf(hit, shard)],
      )
      .timeout(storeTimeoutMs, { cancel: true });
    const [row] = rows;
    if (!row?.timely) return 'late';
    return row.stored === 1 ? 'stored' : 'duplicate';
  },

  /** Stores a dead hit again, once, also when its token has ended. Rejects when Postgres is unavailable. */
  restore: async (hit: Hit, shard: number): Promise<void> => {
    await knex.raw(`insert into pending_hits (${COLUMNS}) values (?, ?, ?, ?, ?, ?::jsonb) on conflict do nothing`, columnsOf(hit, shard));
  },

  /** Stores hits that Redis had taken and may have lost, each once. Rejects when Postgres is unavailable. */
  restoreAll: async (hits: readonly { readonly hit: Hit; readonly shard: number }[]): Promise<void> => {
    for (let from = 0; from < hits.length; from += PAGE) {
      const rows = hits.slice(from, from + PAGE).map(({ hit, shard }) => columnsOf(hit, shard));
      const column = (at: number) => rows.map((row) => row[at]!) as unknown as Knex.RawBinding;
      await knex.raw(
        // In one order: several replicas restore the same hits at a time, and would wait for each other.
        `insert into pending_hits (${COLUMNS})
         select * from unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::int[], ?::jsonb[]) order by 1, 2, 3, 4 on conflict do nothing`,
        [0, 1, 2, 3, 4, 5].map(column),
      );
    }
  },

  /** The shards, of `shards` in all, in which hits wait. */
  waitingShards: async (shards: number): Promise<ReadonlySet<number>> => {
    const { rows } = await knex.raw<{ rows: { shard: number }[] }>(
      'select shard from generate_series(0, ? - 1) as shard where exists (select from pending_hits p where p.shard = shard.shard)',
      [shards],
    );
    return new Set(rows.map(({ shard }) => shard));
  },

  /**
   * Passes the next hits of a shard, oldest first, to `fold` and deletes those for which it
   * resolves to true. A row that is no valid hit becomes a dead event. Each page is a transaction.
   * undefined: another replica folds this shard.
   */
  foldPage: (
    shard: number,
    afterId: string,
    fold: (hits: readonly Hit[], rows: EventRows) => Promise<readonly boolean[]>,
  ): Promise<FoldedPage | undefined> =>
    knex.transaction(async (trx) => {
      if (!(await tryLock(trx, 'fold', shard))) return undefined;
      const { rows } = await trx.raw<{ rows: { id: string; payload: unknown }[] }>(
        'select id, payload from pending_hits where shard = ? and id > ? order by id limit ?',
        [shard, afterId, PAGE],
      );
      const { hits, dead } = readRows(shard, rows);
      const settled = await fold(
        hits.map(({ hit }) => hit),
        {
          states: (some) => rowStates(trx, some),
          released: (some) => releasedTokens(trx, some),
          impressionTimes: (some) => impressionTimes(trx, some),
        },
      );
      for (const one of dead) await createDeadEvents({ knex: trx }).add(one);
      const done = [...hits.filter((_, i) => settled[i]).map(({ id }) => id), ...dead.map(({ entryId }) => entryId)];
      await trx.raw('delete from pending_hits where shard = ? and id = any(?::bigint[])', [shard, done]);
      return { lastId: rows.length < PAGE ? undefined : rows.at(-1)?.id, complete: done.length === rows.length, dead };
    }),

  count: async (): Promise<number> => {
    const { rows } = await knex.raw<{ rows: { count: number }[] }>('select count(*)::int as count from pending_hits');
    return rows[0]?.count ?? 0;
  },

  /** How long the oldest hit has waited; 0 when none waits. */
  ageSeconds: async (): Promise<number> => {
    const { rows } = await knex.raw<{ rows: { age: number }[] }>(
      'select coalesce(extract(epoch from now() - min(stored_at)), 0)::float8 as age from pending_hits',
    );
    return rows[0]?.age ?? 0;
  },
});

export type PendingHits = ReturnType<typeof createPendingHits>;

const readRows = (shard: number, rows: readonly { readonly id: string; readonly payload: unknown }[]) => {
  const hits: { readonly id: string; readonly hit: Hit }[] = [];
  const dead: DeadEvent[] = [];
  for (const { id, payload } of rows) {
    try {
      hits.push({ id, hit: readHit(payload) });
    } catch (fault) {
      const fields = [JSON.stringify(payload)];
      dead.push({ source: 'hits', shard, entryId: id, fields, sqlState: null, reason: (fault as Error).message });
    }
  }
  return { hits, dead };
};
