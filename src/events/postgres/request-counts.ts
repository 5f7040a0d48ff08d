import type { Knex } from 'knex';
import { IMPRESSION_STEPS, type BidderOffer, type ImpressionStep } from '../../bidders/bidder-observer.ts';
import { addBidsToRollUps, addRequestsToRollUps } from './roll-ups.ts';

/** Requests of one placement with one outcome. */
export interface RequestCount {
  readonly publisherId: number;
  /** '': no placement of the publisher. */
  readonly placementId: string;
  /** Why there was no ad; '': there was one. */
  readonly reason: string;
  readonly requests: number;
}

/** What a bidder answered to one offer. */
export interface BidCount {
  readonly offer: BidderOffer;
  /** Why bids were refused; '': of every other step. */
  readonly reason: string;
  readonly steps: Readonly<Record<ImpressionStep, number>>;
}

/** What one replica counted in a part of an hour. */
export interface RequestBatch {
  /** Ascending for each replica. */
  readonly batch: number;
  readonly atMs: number;
  readonly counts: readonly RequestCount[];
  readonly bids: readonly BidCount[];
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

const ADD_BIDS = `
  with counted as (
    select given.*, ?::timestamptz as at, coalesce(time_zone, 'UTC') as zone
    from unnest(?::int[], ?::text[], ?::int[], ?::text[], ?::text[]${', ?::bigint[]'.repeat(IMPRESSION_STEPS.length)})
      as given (publisher_id, placement_id, bidder_id, deal_id, reason, ${IMPRESSION_STEPS.join(', ')})
    left join publishers on publishers.id = publisher_id
  ), ${addBidsToRollUps('counted')}
  select`;

/** Replicas that have not stored a batch for a day have ended. */
const FORGET_ENDED = `delete from request_batches where stored_at < now() - interval '1 day'`;

export const createRequestCounts = ({ knex }: { readonly knex: Knex }): RequestCounts => ({
  add: (replica, { batch, atMs, counts, bids }) =>
    knex.transaction(async (trx) => {
      const { rows } = await trx.raw<{ rows: unknown[] }>(TAKE_BATCH, { replica, batch });
      if (rows.length === 0) return;
      const at = new Date(atMs).toISOString();
      await trx.raw(ADD, [
        at,
        counts.map(({ publisherId }) => publisherId),
        counts.map(({ placementId }) => placementId),
        counts.map(({ reason }) => reason),
        counts.map(({ requests }) => requests),
      ] as unknown as Knex.RawBinding);
      if (bids.length > 0)
        await trx.raw(ADD_BIDS, [
          at,
          bids.map(({ offer }) => offer.publisherId),
          bids.map(({ offer }) => offer.placementId),
          bids.map(({ offer }) => offer.bidderId ?? 0),
          bids.map(({ offer }) => offer.dealId ?? ''),
          bids.map(({ reason }) => reason),
          ...IMPRESSION_STEPS.map((step) => bids.map(({ steps }) => steps[step])),
        ] as unknown as Knex.RawBinding);
      if (batch === 1) await trx.raw(FORGET_ENDED);
    }),
});
