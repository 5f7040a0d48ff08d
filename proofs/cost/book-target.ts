import type { Knex } from 'knex';
import { book, insertRow, withKnex, type Booking } from '../../testkit/book.ts';
import type { ScriptedBidder } from './open-bidder.ts';
import { MS_PER_DAY } from '../../src/base/utc-day.ts';

/** What is booked on a replica under search. */
export interface Booked {
  readonly booking: Booking;
  /** A publisher that lists the origins of its pages, so that they need no key. */
  readonly listed: { readonly publisherId: number; readonly origin: string };
  /** Campaigns to delete, with 20 line items each: the first and the last of consecutive ids. */
  readonly spareCampaigns: readonly [number, number];
  /** A record of each table that requests may read and replace. */
  readonly ids: Readonly<Record<string, string | number>>;
  /** A record of each table whose change spoils no other request. */
  readonly spares: Readonly<Record<string, string | number>>;
}

const SPARE_CAMPAIGNS = 400;
const SPARE_LINE_ITEMS = 20;
/** As many as a report of a year has for a campaign with 20 creatives. */
const REPORT_ROWS = 8_000;

/** @param lineItems on the placement of the publisher */
export const bookTarget = (databaseUrl: string, lineItems: number, bidder: ScriptedBidder): Promise<Booked> =>
  withKnex(databaseUrl, async (knex) => {
    const booking = await book(knex, { lineItems: [{}, { frequency_cap: 3, daily_impression_cap: 1_000_000_000 }] });
    const { publisherId, placementId, campaignId, lineItemIds, creativeIds } = booking;
    // Items that match no request and do not fit most sizes: the worst for whatever visits them one by one.
    await knex.raw(
      `with items as (
         insert into line_items (campaign_id, name, active, start_at, end_at, cpm_micros, priority, targeting)
         select ?, 'item ' || n, true, now() - interval '1 day', now() + interval '30 days', 1000000 + n % 7, 1 + n % 3,
           case when n % 2 = 0 then '{"countries": ["NZ"], "key_values": {"topic": ["sport", "news"]}}'::jsonb else '{"devices": ["tablet"]}'::jsonb end
         from generate_series(1, ?) n returning id)
       insert into creatives (placement_id, line_item_id, format, content, width, height)
       select ?, id, 'html', '<b>ad</b>', 200 + id % 100, 200 + id % 50 from items`,
      [campaignId, lineItems, placementId],
    );
    await bookBidders(knex, booking, bidder);
    await knex.raw(
      `insert into daily_counts (day, line_item_id, creative_id, publisher_id, campaign_id, serves, impressions, clicks, spend_micros)
       select current_date - n / 20, id, n % 20, ?, ?, 1000000, 900000, 9000, 900000000
       from generate_series(1, ?) n, (select id from line_items where campaign_id = ? order by id limit 1) item`,
      [publisherId, campaignId, REPORT_ROWS, campaignId],
    );
    const origin = 'https://listed.example';
    const listed = await insertRow(knex, 'publishers', {
      ...{ name: 'listed', domain: 'listed.example', api_key_hash: 'listed' },
      origins: [origin],
    });
    const spare = await book(knex);
    return {
      booking,
      listed: { publisherId: listed, origin },
      spareCampaigns: await bookSpares(knex, booking),
      ids: idsOf({ publisherId, placementId, campaignId, lineItemIds, creativeIds }),
      spares: idsOf(spare),
    };
  });

const idsOf = ({ publisherId, placementId, campaignId, lineItemIds, creativeIds }: Omit<Booking, 'apiKey'>): Booked['ids'] => ({
  ...{ publishers: publisherId, placements: placementId, campaigns: campaignId },
  ...{ line_items: lineItemIds[0] ?? 1, creatives: creativeIds[0] ?? 1 },
});

/** For each endpoint and format a placement with 20 line items, so that 20 impressions are filled. */
const bookBidders = async (knex: Knex, { publisherId }: Booking, bidder: ScriptedBidder): Promise<void> => {
  const campaignId = await insertRow(knex, 'campaigns', {
    ...{ publisher_id: publisherId, name: 'bidders' },
    ...{ start_at: new Date(Date.now() - MS_PER_DAY), end_at: new Date(Date.now() + 30 * MS_PER_DAY) },
  });
  for (const [format, prefix] of Object.entries(bidder.placements))
    await knex.raw(
      `with n as (select generate_series(0, :last) as n),
       places as (
         insert into placements (id, publisher_id, width, height, formats)
         select :prefix || n, :publisherId, 300, 250, :formats::text[] from n),
       items as (
         insert into line_items (campaign_id, name, type, active, start_at, end_at, cpm_micros, priority, endpoint)
         select :campaignId, n, 'programmatic', true, now() - interval '1 day', now() + interval '30 days', 1000000, 2,
           :origin || '/' || :prefix || n from n, generate_series(1, 20) returning id, name)
       insert into creatives (placement_id, line_item_id, format, content)
       select :prefix || name, id, :format, :content from items`,
      {
        ...{ last: bidder.endpoints - 1, prefix, publisherId, campaignId, origin: bidder.origin, format },
        ...{ formats: [format], content: format === 'native' ? '{"title":"ad"}' : '<b>ad</b>' },
      },
    );
};

const bookSpares = async (knex: Knex, { publisherId, placementId }: Booking): Promise<readonly [number, number]> => {
  const { rows } = await knex.raw<{ rows: { first: number; last: number }[] }>(
    `with spares as (
       insert into campaigns (publisher_id, name, start_at, end_at)
       select ?, 'spare ' || n, now() - interval '1 day', now() + interval '30 days' from generate_series(1, ?) n returning id),
     items as (
       insert into line_items (campaign_id, name, active, start_at, end_at, cpm_micros, priority)
       select id, 'item ' || n, false, now() - interval '1 day', now() + interval '30 days', 1000000, 2
       from spares, generate_series(1, ?) n returning id),
     shown as (
       insert into creatives (placement_id, line_item_id, format, content) select ?, id, 'html', '<b>ad</b>' from items)
     select min(id) as first, max(id) as last from spares`,
    [publisherId, SPARE_CAMPAIGNS, SPARE_LINE_ITEMS, placementId],
  );
  const [spares] = rows;
  if (!spares) throw new Error('no campaigns were booked');
  return [spares.first, spares.last];
};
