import { component } from '../api/component.ts';
import { pagedList } from '../api/paged-list.ts';
import { choiceQuery, idQuery } from '../api/parameters.ts';
import { at, defineRoutes } from '../api/route.ts';
import * as s from '../base/schema.ts';
import { MEDIA_BUY_STATUSES } from './read-media-buys.ts';

/** Of a media buy: what its buyer reads, and before it is booked what became of its approval. */
export const BUY_STATES = ['waiting', 'refused', ...MEDIA_BUY_STATUSES] as const;

const PACKAGE = s.record({
  name: s.text,
  placement_id: s.text,
  line_item_id: s.orNull(s.integer, { description: 'null: it is not booked' }),
  guaranteed: s.boolean,
  price: s.described(s.money, 'CPM; of what is not guaranteed the bid'),
  budget: s.money,
  impressions: s.described(s.count, 'What the budget buys'),
  start_time: s.moment,
  end_time: s.moment,
  active: s.boolean,
  canceled: s.boolean,
  creatives: s.described(s.count, 'That its buyer has assigned'),
  creatives_missing: s.described(s.count, 'Of these, what its buyer has not sent'),
  creatives_pending: s.described(s.count, 'Of these, what waits for approval'),
});

const MEDIA_BUY = component(
  'MediaBuy',
  s.record({
    id: s.integer,
    publisher_id: s.integer,
    advertiser_id: s.integer,
    name: s.text,
    order_number: s.orNull(s.text),
    buyer: s.described(s.text, 'Who bought it, as the history names it'),
    state: s.described(
      s.oneOf(BUY_STATES),
      'waiting: for the approval of a person; refused: by one, or not decided in time; the others as the buyer reads them',
    ),
    campaign_id: s.orNull(s.integer, { description: 'null: it is not booked' }),
    approval_id: s.orNull(s.integer, { description: 'The proposal that it waited for; null: none' }),
    waits_until: s.orNull(s.moment, { description: 'It is refused then; null: it does not wait' }),
    decided_by: s.orNull(s.text, { description: 'Who approved or refused it; null: it needed no approval, or was not decided in time' }),
    words: s.orNull(s.text, { description: 'Of who decided, as its buyer reads them' }),
    currency: s.text,
    budget: s.money,
    start_time: s.moment,
    end_time: s.moment,
    packages: s.listOf(PACKAGE),
    created_at: s.moment,
    canceled_at: s.orNull(s.text),
    cancellation_reason: s.orNull(s.text),
  }),
  {
    ...{ id: 3, publisher_id: 1, advertiser_id: 2, name: 'Boots, spring', order_number: 'PO-1', buyer: 'buying agent', state: 'waiting' },
    ...{ campaign_id: null, approval_id: 4, currency: 'USD', budget: 450 },
    ...{ waits_until: '2026-10-28T12:00:00.000Z', decided_by: null, words: null },
    ...{ start_time: '2026-11-01T00:00:00.000Z', end_time: '2026-12-01T00:00:00.000Z' },
    packages: [
      {
        ...{ name: 'Article top', placement_id: 'article-top', line_item_id: null, guaranteed: true, price: 4.5, budget: 450 },
        ...{ impressions: 100_000, start_time: '2026-11-01T00:00:00.000Z', end_time: '2026-12-01T00:00:00.000Z' },
        ...{ active: false, canceled: false, creatives: 1, creatives_missing: 0, creatives_pending: 0 },
      },
    ],
    ...{ created_at: '2026-10-14T12:00:00.000Z', canceled_at: null, cancellation_reason: null },
  },
);
export type MediaBuyWire = s.Shape<typeof MEDIA_BUY>;

/** What agents of buyers have bought, for staff. */
export const MEDIA_BUY_API = defineRoutes({
  listMediaBuys: {
    ...at('GET', '/api/media_buys', 'campaigns'),
    needs: 'records.read',
    reach: 'publishers',
    cost: 'list',
    summary: 'What agents have bought, and what of it waits for approval',
    ...pagedList(
      'The newest first',
      MEDIA_BUY,
      {
        publisher_id: idQuery('publisher', 'Only of this publisher'),
        state: choiceQuery(['waiting', 'booked', 'refused'], 'Only those that wait, that are booked, or that were refused'),
      },
      { size: { default: 50, max: 200 } },
    ),
  },
});
