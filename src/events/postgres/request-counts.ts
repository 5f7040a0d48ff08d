import type { Knex } from 'knex';
import { IMPRESSION_STEPS, type BidderOffer, type ImpressionStep } from '../../bidders/bidder-observer.ts';
import { storeParts } from './request-parts.ts';
import type { Counted, RequestRow, ServeRow } from './request-rows.ts';
import { addBidsToRollUps } from './roll-ups.ts';

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
  /** Can be read again. */
  readonly requests: Iterable<Counted<RequestRow>>;
  readonly serves: Iterable<Counted<ServeRow>>;
  readonly bids: readonly BidCount[];
}

/** Rejects when Postgres is unavailable. */
export interface RequestCounts {
  /** Stores a batch once, even if it is passed repeatedly: bids are in the roll-ups then, the rest when it is counted (request-parts.ts). */
  add(replica: string, batch: RequestBatch): Promise<void>;
}

const TAKE_BATCH = `
  insert into request_batches (replica, batch) values (:replica, :batch)
  on conflict (replica) do update set batch = excluded.batch, stored_at = now() where request_batches.batch < excluded.batch
  returning batch`;

const ZONE = `coalesce(time_zone, 'UTC') as zone`;
const JOIN_ZONE = 'left join publishers on publishers.id = given.publisher_id';
/** Of bids: the size of the placement now. */
const SIZE = `coalesce(placements.width || 'x' || placements.height, '') as size`;
const JOIN_SIZE = 'left join placements on placements.id = given.placement_id';

const ADD_BIDS = `
  with counted as (
    select given.*, ?::timestamptz as at, ${ZONE}, ${SIZE}
    from unnest(?::int[], ?::text[], ?::int[], ?::text[], ?::text[]${', ?::bigint[]'.repeat(IMPRESSION_STEPS.length)})
      as given (publisher_id, placement_id, bidder_id, deal_id, reason, ${IMPRESSION_STEPS.join(', ')}) ${JOIN_ZONE} ${JOIN_SIZE}
  ), ${addBidsToRollUps('counted')}
  select`;

/** Replicas that have not stored a batch for a day have ended. */
const FORGET_ENDED = `delete from request_batches where stored_at < now() - interval '1 day'`;

export const createRequestCounts = ({ knex }: { readonly knex: Knex }): RequestCounts => ({
  add: (replica, { batch, atMs, requests, serves, bids }) =>
    knex.transaction(async (trx) => {
      const { rows } = await trx.raw<{ rows: unknown[] }>(TAKE_BATCH, { replica, batch });
      if (rows.length === 0) return;
      await storeParts(trx, 'requests', atMs, requests);
      await storeParts(trx, 'serves', atMs, serves);
      if (bids.length > 0)
        await trx.raw(ADD_BIDS, [
          new Date(atMs).toISOString(),
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
