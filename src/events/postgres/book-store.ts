import type { Knex } from 'knex';
import { tryLock } from '../../base/advisory-locks.ts';
import { dateOfDay, MS_PER_DAY } from '../../base/utc-day.ts';
import type { BooksState } from '../../ledger/books/books-server.ts';
import type { HoldChange } from '../../ledger/books/hold-journal.ts';
import { arrayLiteral } from './array-literal.ts';
import { HOLD_KEY } from './count-tables.ts';

/** Which content of Redis the counters of a scope belong to. */
export interface BookEpoch {
  readonly scope: number;
  readonly epoch: string;
  readonly state: BooksState;
  /** The process that has the content (BooksContent.server). */
  readonly server: string;
  /** When it began, epoch ms by Redis's clock; 0: nothing was lost before it. */
  readonly openedMs: number;
  /** Why it began, for staff. */
  readonly reason: string;
  /** Postgres was restored to a state older than Redis, and what it lost is not carried over yet. */
  readonly behind: boolean;
}

/** What Postgres knows when a replica writes. */
export interface Beat {
  readonly epochs: readonly BookEpoch[];
  /** Epoch ms by Postgres's clock: this beat, and the latest one of any replica before it. */
  readonly atMs: number;
  readonly beforeMs: number;
}

export interface CampaignName {
  readonly id: number;
  readonly publisherId: number;
}

/** Campaigns after the id `after` whose flight has not ended two days ago, or the others. */
export interface CampaignPage {
  readonly live: boolean;
  readonly after: number;
  readonly limit: number;
}

/** Below every id: the smallest integer of Postgres. */
export const BEFORE_FIRST = -(2 ** 31);

/** Also those that are deleted and can be restored: their hits come late, and are filtered again. Rejects when Postgres is unavailable. */
export const readCampaigns = async (knex: Knex, { live, after, limit }: CampaignPage): Promise<readonly CampaignName[]> => {
  const inFlight = `end_at > now() - interval '2 days'`;
  const { rows } = await knex.raw<{ rows: CampaignName[] }>(
    `select id, publisher_id as "publisherId" from accounted_campaigns where id > ? and ${live ? inFlight : `not (${inFlight})`} order by id limit ?`,
    [after, limit],
  );
  return rows;
};

/** A replica that has not written for this long, and whose connection has ended, is not waited for. */
const MAX_SILENCE = `interval '3 seconds'`;
/**
 * Nor is one that has not written for this long: a connection may outlive its process, when a whole machine is lost or in a pooler. A
 * replica that gets no processor lives, and what it was granted last is written only when it does.
 */
const MAX_STALL = `interval '30 seconds'`;

/** SQL: the last moment at which a replica wrote, epoch ms. A statement sees the one before it. */
const NEWEST = `(select coalesce(extract(epoch from max(seen_at))::float8 * 1000, 0) from ledger_replicas)`;

/** SQL: a row of ledger_epochs as a BookEpoch. */
const EPOCH = `json_build_object('scope', scope, 'epoch', epoch, 'state', state, 'server', server,
                                                     'openedMs', opened_ms, 'reason', reason, 'behind', behind)`;

const BEAT = `
  with granted as (
    insert into open_holds (${HOLD_KEY}, campaign_id, publisher_id, granted, granted_micros)
    select * from unnest(:ends::bigint[], :lineItems::int[], :days::date[], :campaigns::int[], :publishers::int[], :counts::bigint[], :micros::bigint[])
    order by 1, 2, 3
    on conflict (${HOLD_KEY}) do update set
      granted = open_holds.granted + excluded.granted, granted_micros = open_holds.granted_micros + excluded.granted_micros
  ), beaten as (
    insert into ledger_replicas (replica, seen_at, epochs, counts_later, session)
    values (:replica, clock_timestamp(), :known::jsonb, true, pg_backend_pid())
    on conflict (replica) do update set seen_at = excluded.seen_at, epochs = excluded.epochs, session = excluded.session
    returning seen_at
  ), lagging as (
    update ledger_epochs set behind = true where not behind and (:wasBehind or ${NEWEST} < :markMs)
  )
  select (select extract(epoch from seen_at)::float8 * 1000 from beaten) as "atMs",
         ${NEWEST} as "beforeMs",
         (select coalesce(json_agg(${EPOCH}), '[]') from ledger_epochs) as epochs`;

/** What Postgres knows of the books in Redis. Each method rejects when Postgres is unavailable. */
export const createBookStore = ({ knex }: { readonly knex: Knex }) => ({
  /**
   * Writes what a replica was granted, and that it lives and knows these epochs.
   *
   * @param markMs the latest moment of Postgres that Redis knows. When Postgres knows of no such moment, it is behind
   * @param wasBehind it was at the last beat, which may have run while it was being restored
   */
  beat: async (
    replica: string,
    known: Readonly<Record<number, string>>,
    changes: readonly HoldChange[],
    { markMs, wasBehind }: { readonly markMs: number; readonly wasBehind: boolean },
  ): Promise<Beat> => {
    const column = (read: (change: HoldChange) => number | string): string => arrayLiteral(changes.map(read));
    const { rows } = await knex.raw<{ rows: [Beat] }>(BEAT, {
      ends: column(({ holdEndMs }) => holdEndMs),
      lineItems: column(({ lineItemId }) => lineItemId),
      days: column(({ day }) => dateOfDay(day)),
      campaigns: column(({ campaignId }) => campaignId),
      publishers: column(({ publisherId }) => publisherId),
      counts: column(({ count }) => count),
      micros: column(({ micros }) => micros),
      replica,
      known: JSON.stringify(known),
      markMs,
      wasBehind,
    });
    return rows[0];
  },

  /** Whether Postgres is behind Redis: then accounts must not be lowered to its counts. */
  isBehind: async (markMs: number): Promise<boolean> => {
    const { rows } = await knex.raw<{ rows: { behind: boolean }[] }>(
      `select exists (select from ledger_epochs where behind) or ${NEWEST} < ? as behind`,
      [markMs],
    );
    return rows[0]?.behind === true;
  },

  /** What Postgres lost is carried over: `record` says so in the same transaction, once for all replicas. */
  caughtUp: (record: (trx: Knex.Transaction) => Promise<void>): Promise<void> =>
    knex.transaction(async (trx) => {
      if ((await trx('ledger_epochs').where({ behind: true }).update({ behind: false })) > 0) await record(trx);
    }),

  /** The replica has stopped and has written everything. */
  leave: async (replica: string): Promise<void> => {
    // Its last moment stays until another one is later: a mark in Redis is compared with it.
    await knex('ledger_replicas')
      .where({ replica })
      .update({ epochs: JSON.stringify({ left: true }) });
  },

  /** The epoch of a scope. `newestMs`: the latest beat of any replica; a mark that Redis knew before is no later. */
  readEpoch: async (scope: number, trx?: Knex.Transaction): Promise<{ readonly row: BookEpoch | undefined; readonly newestMs: number }> => {
    const { rows } = await (trx ?? knex).raw<{ rows: [{ newestMs: number; row: BookEpoch | null }] }>(
      `select ${NEWEST} as "newestMs", (select ${EPOCH} from ledger_epochs where scope = ?) as row`,
      [scope],
    );
    const [{ newestMs, row }] = rows;
    return { newestMs, row: row ?? undefined };
  },

  /** Runs `work` while no other replica changes the epoch of the scope; undefined when another one does. */
  underEpochLock: <T>(scope: number, work: (trx: Knex.Transaction) => Promise<T>): Promise<T | undefined> =>
    knex.transaction(async (trx) => ((await tryLock(trx, 'epoch', scope)) ? work(trx) : undefined)),

  saveEpoch: async (trx: Knex.Transaction, { openedMs, ...epoch }: BookEpoch): Promise<void> => {
    await trx('ledger_epochs')
      .insert({ ...epoch, opened_ms: openedMs, changed_at: trx.fn.now() })
      .onConflict('scope')
      .merge();
  },

  /**
   * Runs `work` while this process alone rebuilds a scope; does nothing while another one does. `work` gets a check that
   * rejects when the lock is lost.
   */
  underRebuildLock: (scope: number, work: (checkLock: () => Promise<void>) => Promise<void>): Promise<void> =>
    knex.transaction(async (trx) => {
      if (await tryLock(trx, 'rebuild', scope)) await work(async () => void (await trx.raw('select 1')));
    }),

  campaigns: (page: CampaignPage): Promise<readonly CampaignName[]> => readCampaigns(knex, page),

  /** All campaigns of these publishers. */
  campaignsOf: async (publishers: readonly number[]): Promise<readonly CampaignName[]> => {
    const { rows } = await knex.raw<{ rows: CampaignName[] }>(
      'select id, publisher_id as "publisherId" from accounted_campaigns where publisher_id = any(?::int[]) order by id',
      [[...publishers]] as unknown as Knex.RawBinding,
    );
    return rows;
  },

  /** All accounts are rebuilt. Resolves to whether it was this epoch, and was not complete before. */
  completeEpoch: async (scope: number, epoch: string): Promise<boolean> =>
    (await knex('ledger_epochs').where({ scope, epoch, state: 'rebuilding' }).update({ state: 'open', changed_at: knex.fn.now() })) > 0,

  /** Whether every replica that lives has written what it was granted before this epoch. */
  isFlushed: async (scope: number, epoch: string): Promise<boolean> => {
    const { rows } = await knex.raw<{ rows: { behind: number }[] }>(
      `select count(*)::int as behind from ledger_replicas
       where not epochs @> '{"left": true}' and epochs ->> :scope::text is distinct from :epoch
         and (seen_at > now() - ${MAX_SILENCE}
              or seen_at > now() - ${MAX_STALL} and exists (select from pg_stat_activity where pid = session))`,
      { scope: String(scope), epoch },
    );
    return rows[0]?.behind === 0;
  },

  /**
   * Resolves when every transaction that was storing event rows has ended: also one whose replica has lost the connection at its COMMIT, and
   * which Postgres may yet carry out.
   */
  untilStored: (): Promise<void> => knex.transaction(async (trx) => void (await trx.raw('lock table events in share mode'))),

  /** Whether any ad was ever counted. */
  hasHistory: async (trx: Knex.Transaction): Promise<boolean> => {
    const { rows } = await trx.raw<{ rows: { any: boolean }[] }>(
      'select exists (select from daily_counts) or exists (select from event_batches) or exists (select from open_holds) or exists (select from pending_hits) as any',
    );
    return rows[0]?.any === true;
  },

  /** Forgets holds that have ended for certain, and replicas that are gone. */
  prune: async (): Promise<void> => {
    // The longest life of a token and of a lot is half a day; a hit that waits longer finds no hold.
    await knex.raw(`delete from open_holds where hold_end < (extract(epoch from now()) * 1000)::bigint - ${2 * MS_PER_DAY}`);
    await knex.raw(`delete from ledger_replicas where seen_at < now() - interval '1 day'
      and seen_at < (select max(seen_at) from ledger_replicas)`);
  },
});

export type BookStore = ReturnType<typeof createBookStore>;
