import type { Knex } from 'knex';
import { answer, type Handlers } from '../api/route.ts';
import { budgetOf, type AskedPackage } from './media-buy.ts';
import type { MEDIA_BUY_API, MediaBuyWire } from './media-buy-api.ts';
import type { MediaBuyRow } from './media-buy-store.ts';
import { currentOf, type PackageNow } from './read-media-buys.ts';

export interface MediaBuyRoutesOptions {
  readonly knex: Knex;
  readonly now: () => number;
}

interface StoredBuy extends MediaBuyRow {
  readonly approval_state: 'waiting' | 'refused';
  readonly currency: string;
  /** Of its approval; null: it needed none, or is not decided. */
  readonly expires_at: Date | null;
  readonly decided_by: string | null;
  readonly words: string | null;
}

const WAITS = "media_buys.campaign_id is null and approvals.state = 'open' and approvals.expires_at > :now";

/** What agents have bought, for staff. */
export const mediaBuyRoutes = ({ knex, now }: MediaBuyRoutesOptions): Handlers<typeof MEDIA_BUY_API> => ({
  listMediaBuys: async ({ publisher_id: publisherId, state, limit, offset }, { caller }) => {
    const at = { now: new Date(now()) };
    const query = knex('media_buys')
      .leftJoin('approvals', 'approvals.id', 'media_buys.approval_id')
      .join('publishers', 'publishers.id', 'media_buys.publisher_id')
      .orderBy('media_buys.id', 'desc')
      .limit(limit)
      .offset(offset);
    if (caller.publishers) void query.whereIn('media_buys.publisher_id', [...caller.publishers]);
    if (publisherId !== undefined) void query.where({ 'media_buys.publisher_id': publisherId });
    if (state === 'booked') void query.whereNotNull('media_buys.campaign_id');
    if (state === 'waiting') void query.whereRaw(WAITS, at);
    if (state === 'refused') void query.whereNull('media_buys.campaign_id').whereRaw(`(${WAITS}) is not true`, at);
    const rows = await query.select<StoredBuy[]>(
      'media_buys.*',
      ...['publishers.currency', 'approvals.expires_at', 'approvals.decided_by', 'approvals.words'],
      knex.raw(`case when ${WAITS} then 'waiting' else 'refused' end as approval_state`, at),
    );
    const booked = await currentOf(
      knex,
      rows.filter(({ campaign_id: id }) => id !== null),
      now(),
    );
    const currents = new Map(booked.map((one) => [one.row.id, one]));
    return answer(
      rows.map((row): MediaBuyWire => {
        const current = currents.get(row.id);
        const packages = current ? current.packages.map(shownPackage) : row.asked.packages.map((one) => shownAsked(one));
        return {
          ...{ id: row.id, publisher_id: row.publisher_id, advertiser_id: row.advertiser_id, buyer: row.buyer },
          ...{ name: row.asked.name, order_number: row.asked.order_number },
          state: current?.status ?? row.approval_state,
          waits_until: row.approval_state === 'waiting' ? (row.expires_at?.toISOString() ?? null) : null,
          ...{ decided_by: row.decided_by, words: row.words },
          ...{ campaign_id: row.campaign_id, approval_id: row.approval_id, currency: row.currency, budget: budgetOf(packages) },
          ...{ start_time: row.asked.start_time, end_time: row.asked.end_time, packages, created_at: row.created_at.toISOString() },
          ...{ canceled_at: row.canceled_at?.toISOString() ?? null, cancellation_reason: row.cancellation_reason },
        };
      }),
    );
  },
});

type PackageWire = MediaBuyWire['packages'][number];

const shownAsked = (one: AskedPackage): PackageWire => ({
  ...{ name: one.name, placement_id: one.product_id, line_item_id: null, guaranteed: one.guaranteed, price: one.price },
  ...{ budget: one.budget, impressions: one.impressions, start_time: one.start_time, end_time: one.end_time },
  ...{ active: false, canceled: false, creatives: one.creative_ids.length, creatives_missing: 0, creatives_pending: 0 },
});

const shownPackage = ({ bought, lineItem, creatives }: PackageNow): PackageWire => ({
  ...shownAsked(bought),
  line_item_id: lineItem ? bought.line_item_id : null,
  active: lineItem?.active === true,
  canceled: bought.canceled_at !== undefined,
  creatives_missing: creatives.filter(({ record }) => record === null).length,
  creatives_pending: creatives.filter(({ record }) => record?.status === 'pending').length,
});
