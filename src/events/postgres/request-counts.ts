import type { Knex } from 'knex';
import { addRequestsToRollUps } from './roll-ups.ts';

/** Requests of one placement with one outcome. */
export interface RequestCount {
  readonly publisherId: number;
  /** '': no placement of the publisher. */
  readonly placementId: string;
  /** Why there was no ad; '': there was one. */
  readonly reason: string;
  readonly requests: number;
}

/** What one replica counted in a part of an hour. */
export interface RequestBatch {
  /** Ascending for each replica. */
  readonly batch: number;
  readonly atMs: number;
  readonly counts: readonly RequestCount[];
}

/** Rejects when Postgres is unavailable. */
export interface RequestCounts {
  /** Adds a batch to the roll-ups, once, even if it is passed repeatedly. */
  add(replica: string, batch: RequestBatch): Promise<void>;
}

const TAKE_BATCH = `
  insert into request_batches (replica, batch) values (:replica, :batch)
  on conflict (replica) do update set batch = excluded.batch, stored_at = now() where request_batches.batch < excluded.batch
  returning batch`;

const ADD = `
  with counted as (
    select given.*, ?::timestamptz as at, coalesce(time_zone, 'UTC') as zone
    from unnest(?::int[], ?::text[], ?::text[], ?::bigint[]) as given (publisher_id, placement_id, reason, requests)
    left join publishers on publishers.id = publisher_id
  ), ${addRequestsToRollUps('counted')}
  select`;

/** Replicas that have not stored a batch for a day have ended. */
const FORGET_ENDED = `delete from request_batches where stored_at < now() - interval '1 day'`;

export const createRequestCounts = ({ knex }: { readonly knex: Knex }): RequestCounts => ({
  add: (replica, { batch, atMs, counts }) =>
    knex.transaction(async (trx) => {
      const { rows } = await trx.raw<{ rows: unknown[] }>(TAKE_BATCH, { replica, batch });
      if (rows.length === 0) return;
      const column = <T>(read: (count: RequestCount) => T): T[] => counts.map(read);
      await trx.raw(ADD, [
        new Date(atMs).toISOString(),
        column(({ publisherId }) => publisherId),
        column(({ placementId }) => placementId),
        column(({ reason }) => reason),
        column(({ requests }) => requests),
      ] as unknown as Knex.RawBinding);
      if (batch === 1) await trx.raw(FORGET_ENDED);
    }),
});
